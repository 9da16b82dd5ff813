package sample

import dev.trailblaze.toolset.GroupInfo
import dev.trailblaze.toolset.HasRegistry
import dev.trailblaze.toolset.LLMDescription
import dev.trailblaze.toolset.Tool
import dev.trailblaze.toolset.ToolCall
import dev.trailblaze.toolset.ToolMetadata
import dev.trailblaze.toolset.ToolResult
import dev.trailblaze.toolset.Toolbox
import dev.trailblaze.toolset.TrailblazeCommands
import dev.trailblaze.toolset.TrailblazeContext
import dev.trailblaze.toolset.TrailblazeDevicePlatform
import dev.trailblaze.toolset.TrailblazeTool
import dev.trailblaze.toolset.TrailblazeToolServer
import dev.trailblaze.toolset.TrailblazeToolSet
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.withTimeout
import kotlinx.serialization.Serializable

enum class Speed { SLOW, FAST }

@Serializable
data class Item(@LLMDescription("What it is called") val name: String, val amount: Int = 1)

@Serializable
@LLMDescription("Orders something")
data class OrderTool(
    @LLMDescription("What to order") val items: List<Item>,
    val speed: Speed = Speed.FAST,
    val note: String?,
    val prices: Map<String, Double> = emptyMap(),
) : TrailblazeTool {
    init {
        require(items.isNotEmpty()) { "nothing to order" }
    }
}

/** One tool for everything that can happen. */
class SampleToolSet : TrailblazeToolSet, HasRegistry by SampleRegistry {
    @Tool(customName = "shop_order")
    suspend fun order(tool: OrderTool, ctx: TrailblazeContext): ToolResult {
        val items = tool.items.joinToString { "${it.amount} ${it.name}" }
        return ToolResult.success("$items ${tool.speed} ${tool.note} ${tool.prices} ${ctx.session}")
    }

    @Tool
    @LLMDescription("Taps a button")
    suspend fun tapButton(
        @LLMDescription("What stands on it") text: String,
        commands: TrailblazeCommands,
        times: Long = 1,
    ): String {
        repeat(times.toInt()) { commands.tap(text = text) }
        return "tapped $times times"
    }

    @Tool fun nothing() = Unit

    @Tool fun talks() = println("a tool that talks")

    @Tool fun told(ctx: TrailblazeContext) =
        "${ctx.device?.id} ${ctx.device?.driver} ${ctx.client.platform} ${ctx.memory} ${ctx.invocationId}"

    @Tool fun refuses() = ToolResult.failure("sold out", hint = "try tomorrow")

    @Tool fun delegates() = ToolResult.delegate(ToolCall("tap", mapOf("text" to "Buy")), ToolCall("pressBack"))

    @Tool fun throws(): Unit = error("no such account")

    @Tool fun breaks(): Unit = throw StackOverflowError()

    @Tool suspend fun asserts(ctx: TrailblazeContext) { ctx.client.assertVisible("Go Online") }

    @Tool suspend fun dawdles() { withTimeout(1) { awaitCancellation() } }

    @Tool suspend fun waits() { awaitCancellation() }
}

object SampleRegistry : HasRegistry {
    override val registry = mapOf(
        "shop_order" to ToolMetadata(setOf(TrailblazeDevicePlatform.ANDROID, TrailblazeDevicePlatform.IOS), setOf("orders")),
        "nothing" to ToolMetadata(exposedToLlm = false, isRecordable = false),
        "delegates" to ToolMetadata(isRecordable = false, isDelegating = true),
    )
    override val groups = mapOf("orders" to GroupInfo("What is bought", defaultEnabled = false))
}

object SampleServer {
    @JvmStatic
    fun main(args: Array<String>) = TrailblazeToolServer("sample", "1.2.3", Toolbox(SampleToolSet())).run(args)
}
