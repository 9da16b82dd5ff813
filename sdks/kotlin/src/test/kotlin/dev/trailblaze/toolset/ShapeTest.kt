package dev.trailblaze.toolset

import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import org.junit.Assert.assertEquals
import org.junit.Assert.assertThrows
import org.junit.Test
import sample.Item
import sample.OrderTool
import sample.SampleToolSet
import sample.Speed
import kotlin.reflect.typeOf

class ShapeTest {
    private val tools = Toolbox(SampleToolSet()).functions.associateBy { it.name }

    private fun schema(tool: String) =
        with(tools.getValue(tool)) { jsonOf("properties" to properties, "required" to required) }

    @Test
    fun `a data class is the schema of its constructor`() {
        val expected = """{
            "properties": {
                "items": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "name": {"type": "string", "description": "What it is called"},
                            "amount": {"type": "integer"}
                        },
                        "required": ["name"]
                    },
                    "description": "What to order"
                },
                "speed": {"type": "string", "enum": ["SLOW", "FAST"]},
                "note": {"type": "string"},
                "prices": {"type": "object", "additionalProperties": {"type": "number"}}
            },
            "required": ["items"]
        }"""
        assertEquals(Json.parseToJsonElement(expected), schema("shop_order"))
        assertEquals("Orders something", tools.getValue("shop_order").description)
    }

    @Test
    fun `parameters are arguments, save for those that are given`() {
        val expected = """{
            "properties": {"text": {"type": "string", "description": "What stands on it"}, "times": {"type": "integer"}},
            "required": ["text"]
        }"""
        assertEquals(Json.parseToJsonElement(expected), schema("tapButton"))
        assertEquals("Taps a button", tools.getValue("tapButton").description)
        assertEquals(Json.parseToJsonElement("""{"properties": {}, "required": []}"""), schema("told"))
    }

    private inline fun <reified T> check(json: String, expected: T) =
        assertEquals(expected, Shape.of(typeOf<T>()).decode(Json.parseToJsonElement(json), "x"))

    private inline fun <reified T> refuse(json: String, message: String) {
        val value = Json.parseToJsonElement(json)
        val thrown = assertThrows(TrailblazeException::class.java) { Shape.of(typeOf<T>()).decode(value, "x") }
        assertEquals(message, thrown.message)
    }

    @Test
    fun `values are read as their types`() {
        check<String>("\"\"", "")
        check<Int>("3.0", 3)
        check<Long>("3000000000", 3_000_000_000)
        check<Double>("3", 3.0)
        check<Float>("0.5", 0.5f)
        check<Boolean>("true", true)
        check<Speed>("\"SLOW\"", Speed.SLOW)
        check<Set<Int>>("[1, 1]", setOf(1))
        check<Map<String, List<Boolean>>>("""{"a": [true]}""", mapOf("a" to listOf(true)))
        check<Any>("""{"a": [1, "b", null]}""", mapOf("a" to listOf(1L, "b", null)))
        check<JsonObject>("{}", JsonObject(emptyMap()))
        check<Item>("""{"name": "tea", "amount": null}""", Item("tea", 1))
    }

    @Test
    fun `what does not fit is said with its place`() {
        refuse<String>("1", "'x' must be a text, not 1")
        refuse<Int>("\"1\"", "'x' must be a whole number, not \"1\"")
        refuse<Int>("1.5", "'x' must be a whole number, not 1.5")
        refuse<Int>("3000000000", "'x' must be a whole number, not 3000000000")
        refuse<Boolean>("\"true\"", "'x' must be true or false, not \"true\"")
        refuse<Speed>("\"slow\"", "'x' must be one of SLOW, FAST, not \"slow\"")
        refuse<List<Item>>("""[{"name": "tea"}, {"name": 1}]""", "'x[1].name' must be a text, not 1")
        refuse<Item>("""{"amount": 1}""", "the argument 'x.name' is missing")
        refuse<Item>("""{"name": "a", "nmae": 1}""", "unknown argument 'x.nmae'; there are name, amount")
        refuse<Map<String, Int>>("""{"a": []}""", "'x.a' must be a whole number, not []")
    }

    data class Endless(val more: List<Endless>)

    class Unreadable : TrailblazeToolSet {
        @Tool fun takes(file: java.io.File) = Unit
    }

    class Mixed : TrailblazeToolSet {
        @Tool fun takes(tool: OrderTool, more: String) = "$tool $more"
    }

    class Returning : TrailblazeToolSet {
        @Tool fun gives() = 1
    }

    class Empty : TrailblazeToolSet

    @Test
    fun `what cannot be a tool is refused at once`() {
        fun check(toolSet: TrailblazeToolSet, message: String) {
            val thrown = assertThrows(IllegalArgumentException::class.java) { Toolbox(toolSet) }
            assertEquals(message, thrown.message?.replace(Regex("class [\\w.]+\\$"), ""))
        }
        check(Unreadable(), "the tool 'takes' of Unreadable: java.io.File has no form in JSON")
        check(Mixed(), "the tool 'takes' of Mixed: 'tool' is all arguments, and 'more' another")
        check(Returning(), "the tool 'gives' of Returning: it returns a Int, not a ToolResult, a String or nothing")
        check(Empty(), "Empty has no function with @Tool")
        assertThrows(IllegalArgumentException::class.java) { Shape.of(typeOf<Endless>()) }
        val twice = assertThrows(IllegalArgumentException::class.java) { Toolbox(SampleToolSet(), SampleToolSet()) }
        assertEquals(true, twice.message?.startsWith("two tools are called "))
    }
}
