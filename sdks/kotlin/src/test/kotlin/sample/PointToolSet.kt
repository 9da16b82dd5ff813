package sample

import dev.trailblaze.toolset.*

/** `tb.tap(100, 200)` as it is written in the design, with the usual import. */
class PointToolSet : TrailblazeToolSet {
    @Tool
    suspend fun tapPoint(ctx: TrailblazeContext) {
        val tb = ctx.client
        tb.tap(100, 200)
    }
}
