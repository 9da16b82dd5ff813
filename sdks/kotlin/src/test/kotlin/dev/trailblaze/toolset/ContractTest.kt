package dev.trailblaze.toolset

import kotlinx.coroutines.runBlocking
import kotlinx.serialization.json.JsonObject
import org.junit.Assert.assertEquals
import org.junit.Test
import java.io.File
import kotlin.reflect.KClass
import kotlin.reflect.KFunction
import kotlin.reflect.KParameter
import kotlin.reflect.full.callSuspendBy
import kotlin.reflect.full.declaredMemberFunctions
import kotlin.reflect.full.declaredMemberProperties
import kotlin.reflect.full.instanceParameter
import kotlin.reflect.full.primaryConstructor
import kotlin.reflect.full.valueParameters
import kotlin.reflect.jvm.isAccessible
import kotlin.reflect.jvm.jvmErasure

/** The commands here and those of the contract are the same, by name and by field. */
class ContractTest {
    private val proto = Proto.of("commands")
    private val groups = listOf(
        TrailblazeCommands::class, MaestroCommands::class, PlaywrightCommands::class, DesktopCommands::class,
    )

    @Test
    fun `every service is an interface, and every method a function with the fields of its request`() {
        assertEquals(proto.services, groups.map { it.simpleName })
        for (group in groups) {
            val expected = proto.methods(group.simpleName!!).associate { method ->
                method.name.replaceFirstChar(Char::lowercase) to (proto.fields(method.request) - Proto.ROUTING).toSet()
            }
            val found = functions(group).associate { it.name to it.valueParameters.map { it.name }.toSet() }
            assertEquals("of ${group.simpleName}", expected, found)
        }
    }

    @Test
    fun `every function asks its method with what it was given`() {
        val device = """{"id": "sim", "platform": "android", "groups": ["maestro", "playwright", "desktop"]}"""
        val piece = """{"data": "UE5H", "totalBytes": 3, "mediaType": "image/png"}"""
        FakeServer { asked ->
            if (asked.isStream) FakeServer.stream(piece, "{}") else Answer("""{"success": true, "devices": [$device]}""")
        }.use { server ->
            val client = TrailblazeClient(server.url, "i", "s", "d")
            val receivers = listOf(client, client.maestro!!, client.playwright!!, client.desktop!!)
            for ((group, receiver) in groups zip receivers) {
                for (function in functions(group)) {
                    val given = function.valueParameters.associateWith(::sample)
                    function.isAccessible = true
                    runBlocking { function.callSuspendBy(given + (function.instanceParameter!! to receiver)) }
                    val asked = server.asked.last()
                    assertEquals("${group.simpleName}/${function.name.replaceFirstChar(Char::uppercase)}", asked.path)
                    val expected = given.entries.associate { (parameter, value) -> parameter.name!! to json(value) }
                    assertEquals(function.name, JsonObject(expected), JsonObject(asked.json - Proto.ROUTING))
                    assertEquals(listOf("d", "s", "i"), Proto.ROUTING.map { asked.json.text(it) })
                }
            }
        }
    }

    @Test
    fun `the registry is asked for as the contract says`() {
        val registry = Proto.of("registry")
        val (service, method) = registry.services.single().let { it to registry.methods(it).single() }
        val tools = mapOf("a" to ToolMetadata(setOf(TrailblazeDevicePlatform.WEB), setOf("g"), isDelegating = true))
        val expected = TrailblazeToolRegistry(tools, mapOf("g" to GroupInfo("d")), ServerInfo("n", "v"))
        FakeServer(expected.toJson().toString()).use { server ->
            assertEquals(expected, runBlocking { TrailblazeClient(server.url).getRegistry() })
            assertEquals("$service/${method.name}", server.asked.single().path)
        }
        assertEquals(Proto.ROUTING, registry.fields(method.request).toSet())
    }

    @Test
    fun `values have the fields of their messages`() {
        // A failure is thrown, and the pieces of a screenshot are one.
        check(ActionResult::class, "ActionResult", without = setOf("failure"))
        check(ShellResult::class, "ShellResult", without = setOf("failure"))
        check(CallToolResponse::class, "CallToolResponse", without = setOf("failure"))
        check(Screenshot::class, "ScreenshotPiece", without = setOf("totalBytes"))
        check(Failure::class, "Failure")
        check(ScreenState::class, "ScreenState")
        check(ScreenNode::class, "ScreenNode")
        check(Bounds::class, "Bounds")
        check(Device::class, "Device")
        check(DesktopStatus::class, "GetDesktopStatusResponse")
        val registry = Proto.of("registry")
        check(ToolMetadata::class, "ToolMetadata", registry)
        check(GroupInfo::class, "GroupInfo", registry)
        check(ServerInfo::class, "ServerInfo", registry)
        check(TrailblazeToolRegistry::class, "TrailblazeToolRegistry", registry)
    }

    @Test
    fun `the version is that of Trailblaze`() {
        val cargo = File(System.getProperty("repo"), "Cargo.toml").readText()
        assertEquals(Regex("""(?m)^version = "(.*)"$""").find(cargo)?.groupValues?.get(1), System.getProperty("version"))
    }

    @Test
    fun `enums have the values of the contract`() {
        val enums = listOf(Direction::class, LaunchMode::class, KeyCode::class, Orientation::class)
        assertEquals(proto.enums, enums.map { it.simpleName })
        for (enum in enums) {
            assertEquals(proto.values(enum.simpleName!!), enum.java.enumConstants.map { it.name })
        }
    }

    private fun check(kclass: KClass<*>, message: String, proto: Proto = this.proto, without: Set<String> = emptySet()) {
        val found = kclass.primaryConstructor!!.parameters.map { it.name }.toSet()
        assertEquals(message, proto.fields(message).toSet() - without, found)
        assertEquals(found, kclass.declaredMemberProperties.map { it.name }.toSet())
    }

    private fun functions(group: KClass<*>): Collection<KFunction<*>> = group.declaredMemberFunctions

    private fun sample(parameter: KParameter): Any = when (val kclass = parameter.type.jvmErasure) {
        String::class -> "a ${parameter.name}"
        Int::class -> 7
        Long::class -> 5_000L
        Boolean::class -> false
        Float::class -> 1.5f
        Double::class -> -2.25
        Map::class -> mapOf("text" to "Sign in", "deep" to listOf(1, null))
        else -> kclass.java.enumConstants.last()
    }
}
