package dev.trailblaze.toolset

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.serialization.json.JsonObject
import kotlin.reflect.KClass
import kotlin.reflect.full.findAnnotation
import kotlin.reflect.full.memberFunctions

/**
 * The tools of some toolsets, by their names.
 *
 * `Toolbox(AcmeToolSet())` asks over RPC; a host that has the device itself gives its commands:
 * `Toolbox(AcmeToolSet(), mode = ExecutionMode.IN_PROCESS, commands = commands)`.
 */
class Toolbox(
    toolSets: List<ToolSetSource>,
    val mode: ExecutionMode = ExecutionMode.RPC,
    private val commands: TrailblazeCommands? = null,
) {
    constructor(
        vararg toolSets: TrailblazeToolSet,
        mode: ExecutionMode = ExecutionMode.RPC,
        commands: TrailblazeCommands? = null,
    ) : this(toolSets.map { ToolSetSource(it::class, it as? HasRegistry) { _ -> it } }, mode, commands)

    private val tools = LinkedHashMap<String, Pair<ToolFunction, ToolSetSource>>()
    internal val functions: List<ToolFunction> get() = tools.values.map { it.first }
    private val registries = toolSets.mapNotNull { it.registry }

    init {
        require((mode == ExecutionMode.IN_PROCESS) == (commands != null)) {
            "IN_PROCESS needs the commands of the host, and RPC makes its own"
        }
        for (source in toolSets) {
            val found = source.kclass.memberFunctions.filter { it.findAnnotation<Tool>() != null }.sortedBy { it.name }
            require(found.isNotEmpty()) { "${source.kclass} has no function with @Tool" }
            for (function in found.map { ToolFunction(source.kclass, it) }) {
                val other = tools.put(function.name, function to source)?.first?.owner
                require(other == null) { "two tools are called '${function.name}', of $other and of ${source.kclass}" }
            }
        }
        val unknown = registries.flatMap { it.registry.keys } - tools.keys
        require(unknown.isEmpty()) { "the registry names '${unknown.first()}', which is no tool" }
    }

    val names: Set<String> get() = tools.keys

    internal fun registry(server: ServerInfo) = TrailblazeToolRegistry(
        registries.flatMap { it.registry.entries }.associate { it.toPair() },
        registries.flatMap { it.groups.entries }.associate { it.toPair() },
        server,
    )

    /** Runs a tool. Whatever happens in it is a result; only the end of the whole call is thrown. */
    suspend fun call(name: String, arguments: JsonObject, meta: JsonObject? = null): ToolResult {
        val (function, source) = tools[name] ?: return ToolResult.failure("there is no tool '$name'", kind = "UnknownTool")
        return try {
            val context = TrailblazeContext.of(meta, commands)
            function.call(source.make(context), arguments, context)
        } catch (thrown: Throwable) {
            // A timeout inside the tool is a cancellation as well, but not of this call.
            if (thrown is CancellationException) currentCoroutineContext().ensureActive()
            ToolResult.of(thrown)
        }
    }
}

/** A class of tools, and how an instance for a call is made. */
class ToolSetSource(
    internal val kclass: KClass<*>,
    internal val registry: HasRegistry?,
    internal val make: (TrailblazeContext) -> Any,
)

/** A toolset that is made anew for every call, such as one whose constructor takes the commands. */
inline fun <reified T : TrailblazeToolSet> perCall(
    registry: HasRegistry? = null,
    noinline make: (TrailblazeContext) -> T,
): ToolSetSource = ToolSetSource(T::class, registry, make)
