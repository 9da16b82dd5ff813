package dev.trailblaze.toolset

import io.ktor.server.cio.CIO
import io.ktor.server.engine.embeddedServer
import io.modelcontextprotocol.kotlin.sdk.server.Server
import io.modelcontextprotocol.kotlin.sdk.server.ServerOptions
import io.modelcontextprotocol.kotlin.sdk.server.StdioServerTransport
import io.modelcontextprotocol.kotlin.sdk.server.mcpStreamableHttp
import io.modelcontextprotocol.kotlin.sdk.types.CallToolResult
import io.modelcontextprotocol.kotlin.sdk.types.Implementation
import io.modelcontextprotocol.kotlin.sdk.types.ReadResourceResult
import io.modelcontextprotocol.kotlin.sdk.types.ServerCapabilities
import io.modelcontextprotocol.kotlin.sdk.types.TextContent
import io.modelcontextprotocol.kotlin.sdk.types.TextResourceContents
import io.modelcontextprotocol.kotlin.sdk.types.ToolSchema
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.runBlocking
import kotlinx.io.asSink
import kotlinx.io.asSource
import kotlinx.io.buffered
import kotlinx.serialization.json.JsonObject
import java.io.PrintStream
import kotlin.system.exitProcess
import io.modelcontextprotocol.kotlin.sdk.types.Tool as McpTool

private const val REGISTRY = "trailblaze://registry"

/**
 * Toolsets as an MCP server, on the official SDK. This is the only file that knows it.
 *
 * ```
 * fun main(args: Array<String>) = TrailblazeToolServer("acme-tools", "1.0.0", Toolbox(AcmeToolSet())).run(args)
 * ```
 */
class TrailblazeToolServer(private val name: String, private val version: String, private val tools: Toolbox) {
    /** A server of the SDK with all tools and the registry, for a transport of your own. */
    fun server(): Server {
        val capabilities = ServerCapabilities(
            tools = ServerCapabilities.Tools(listChanged = false),
            resources = ServerCapabilities.Resources(listChanged = false, subscribe = false),
        )
        // A tool may block: on the usual dispatcher, a few such tools would stop all others.
        val options = ServerOptions(capabilities, handlerCoroutineContext = Dispatchers.IO)
        val server = Server(Implementation(name, version), options)
        for (function in tools.functions) {
            val schema = ToolSchema(properties = function.properties, required = function.required)
            server.addTool(McpTool(function.name, schema, function.description)) { request ->
                mcpResult(tools.call(request.name, request.arguments ?: JsonObject(emptyMap()), request.meta?.json))
            }
        }
        val registry = tools.registry(ServerInfo(name, version)).toJson().toString()
        server.addResource(REGISTRY, "registry", "What Trailblaze should know of the tools", "application/json") {
            ReadResourceResult(listOf(TextResourceContents(registry, REGISTRY, "application/json")))
        }
        return server
    }

    /** Serves until the input ends, or with `--transport http --port N` at `/mcp` of that port. */
    fun run(args: Array<String>) {
        val transport = try {
            TransportArguments.of(args)
        } catch (error: IllegalArgumentException) {
            System.err.println("error: ${error.message}")
            exitProcess(2)
        }
        // The output belongs to MCP, whatever tools and libraries print.
        val output = System.out
        System.setOut(PrintStream(System.err, true))
        System.setProperty("kotlin-logging.logStartupMessage", "false")
        System.setProperty("slf4j.internal.verbosity", "ERROR")
        if (transport.port == null) serveStdio(output) else serveHttp(transport.port)
    }

    private fun serveStdio(output: PrintStream) = runBlocking {
        val transport = StdioServerTransport(System.`in`.asSource().buffered(), output.asSink().buffered())
        val ended = CompletableDeferred<Unit>()
        server().createSession(transport).onClose { ended.complete(Unit) }
        ended.await()
    }

    private fun serveHttp(port: Int) {
        embeddedServer(CIO, port, host = "127.0.0.1") { mcpStreamableHttp { server() } }.start(wait = true)
    }
}

/** Standard streams where there is no port. */
internal class TransportArguments private constructor(val port: Int?) {
    companion object {
        fun of(args: Array<String>): TransportArguments {
            val values = args.toList().chunked(2).associate { pair ->
                require(pair.size == 2 && pair[0] in setOf("--transport", "--port")) {
                    "unknown argument '${pair[0]}'; there are --transport stdio|http and --port N"
                }
                pair[0] to pair[1]
            }
            val transport = values["--transport"] ?: "stdio"
            require(transport in setOf("stdio", "http")) { "unknown transport '$transport'; there are stdio and http" }
            val port = values["--port"]?.let { requireNotNull(it.toIntOrNull()) { "the port '$it' is no number" } }
            require((transport == "http") == (port != null)) { "http needs --port N, and stdio has none" }
            return TransportArguments(port)
        }
    }
}

internal fun mcpResult(result: ToolResult): CallToolResult {
    val trailblaze = result.failure?.let { jsonOf("kind" to it.kind, "hint" to hint(it), "stack" to result.stack) }
    val said = result.message.ifEmpty { result.structuredContent?.toString().orEmpty() }
    return CallToolResult(
        content = listOf(said).filter { it.isNotEmpty() }.map { TextContent(it) },
        isError = !result.isSuccess,
        structuredContent = result.structuredContent,
        meta = trailblaze?.let { jsonOf("trailblaze" to it) },
    )
}

/** What nearly fits is what to do next, where nothing else is said. */
private fun hint(failure: Failure): String? = failure.hint.ifEmpty {
    failure.candidates.takeIf { it.isNotEmpty() }?.joinToString(prefix = "nearest: ")
}
