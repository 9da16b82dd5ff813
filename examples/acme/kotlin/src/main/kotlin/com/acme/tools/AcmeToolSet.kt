/*
 * Tools for Acme Driver, in Kotlin. `java -jar target/acme-tools.jar` speaks over its standard streams, and with
 * `--transport http --port 8000` over HTTP, which is how Trailblaze starts it for several devices at once.
 */
package com.acme.tools

import dev.trailblaze.toolset.GroupInfo
import dev.trailblaze.toolset.HasRegistry
import dev.trailblaze.toolset.LLMDescription
import dev.trailblaze.toolset.Tool
import dev.trailblaze.toolset.ToolCall
import dev.trailblaze.toolset.ToolMetadata
import dev.trailblaze.toolset.ToolResult
import dev.trailblaze.toolset.Toolbox
import dev.trailblaze.toolset.TrailblazeContext
import dev.trailblaze.toolset.TrailblazeDevicePlatform.ANDROID
import dev.trailblaze.toolset.TrailblazeDevicePlatform.IOS
import dev.trailblaze.toolset.TrailblazeTool
import dev.trailblaze.toolset.TrailblazeToolServer
import dev.trailblaze.toolset.TrailblazeToolSet

data class LoginTool(
    @LLMDescription("The driver's email") val email: String,
    @LLMDescription("The driver's password") val password: String,
) : TrailblazeTool

class AcmeToolSet : TrailblazeToolSet, HasRegistry by AcmeToolRegistry {
    object ToolNames {
        const val LOGIN = "acme_driver_login"
        const val HANDLE_ONBOARDING = "acme_handle_onboarding"
        const val SMART_TAP = "acme_smart_tap"
    }

    @Tool(customName = ToolNames.LOGIN)
    @LLMDescription("Log in to Acme Driver app.")
    suspend fun login(tool: LoginTool, ctx: TrailblazeContext): ToolResult {
        // Every call goes to the device that this tool was called for.
        val tb = ctx.client

        tb.clearAppData("com.acme.driver")
        tb.launchApp("com.acme.driver")
        tb.tap(text = "Sign in")
        tb.inputText(tool.email)
        tb.inputText(tool.password)
        tb.tap(text = "Submit")
        // What is a matter of course in the test is a question here: a wrong password is an answer, not a crash.
        if (tb.isVisible(text = "Invalid credentials", timeoutMs = 500)) return ToolResult.failure("invalid credentials")
        tb.waitUntilVisible(text = "Go Online", timeoutMs = 10_000)
        return ToolResult.success()
    }

    @Tool(customName = ToolNames.HANDLE_ONBOARDING)
    @LLMDescription("Get everything out of the way that is in the way at the first start.")
    suspend fun handleOnboarding(ctx: TrailblazeContext): ToolResult {
        val tb = ctx.client

        if (tb.isVisible(text = "Accept Cookies")) tb.tap(text = "Accept")
        if (tb.isVisible(text = "Skip Tutorial")) tb.tap(text = "Skip")

        val screen = when {
            tb.hasText("Welcome back") -> "returning_user"
            tb.hasText("Create Account") -> "new_user"
            else -> "unknown"
        }
        return ToolResult.success(structuredContent = mapOf("screen" to screen))
    }

    @Tool(customName = ToolNames.SMART_TAP)
    @LLMDescription("Tap something, wherever it is on the page.")
    suspend fun smartTap(@LLMDescription("What stands on it") text: String, ctx: TrailblazeContext): ToolResult {
        // It looks, and leaves the acting to Trailblaze, which then records what it did.
        val tap = ToolCall("tap", mapOf("text" to text))
        val scroll = ToolCall("scroll", mapOf("direction" to "DOWN"))
        return if (ctx.client.isVisible(text = text)) ToolResult.delegate(tap) else ToolResult.delegate(scroll, tap)
    }
}

/** What Trailblaze should know of the tools besides their schemas. */
object AcmeToolRegistry : HasRegistry {
    private val platforms = setOf(ANDROID, IOS)

    override val registry = mapOf(
        AcmeToolSet.ToolNames.LOGIN to ToolMetadata(platforms, setOf("auth")),
        AcmeToolSet.ToolNames.HANDLE_ONBOARDING to ToolMetadata(platforms, setOf("setup")),
        AcmeToolSet.ToolNames.SMART_TAP to
            ToolMetadata(platforms, setOf("core"), isRecordable = false, isDelegating = true),
    )

    override val groups = mapOf("auth" to GroupInfo("Authentication tools"))
}

fun main(args: Array<String>) = TrailblazeToolServer("acme-tools", "1.0.0", Toolbox(AcmeToolSet())).run(args)
