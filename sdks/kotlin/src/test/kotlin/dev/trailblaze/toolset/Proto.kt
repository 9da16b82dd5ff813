package dev.trailblaze.toolset

import java.io.File

/** What stands in the contract, as far as the tests compare it. */
class Proto(private val text: String) {
    class Method(val name: String, val request: String, val returns: String, val isStream: Boolean)

    fun methods(service: String): List<Method> =
        Regex("""rpc (\w+)\((\w+)\) returns \((stream )?(\w+)\)""").findAll(block("service", service)).map {
            val (name, request, stream, returns) = it.destructured
            Method(name, request, returns, stream.isNotEmpty())
        }.toList()

    /** The names as JSON has them. */
    fun fields(message: String): List<String> =
        Regex("""(?m)^  (?:optional |repeated )?[\w.<>, ]+ (\w+) = \d+;""").findAll(block("message", message))
            .map { camel(it.groupValues[1]) }.toList()

    /** Without the one that stands for nothing. */
    fun values(enum: String): List<String> =
        Regex("""(?m)^  (\w+) = \d+;""").findAll(block("enum", enum)).map { it.groupValues[1] }
            .filter { !it.endsWith("_UNSPECIFIED") }.toList()

    val services: List<String> = names("service")
    val enums: List<String> = names("enum")

    private fun names(kind: String) = Regex("(?m)^$kind (\\w+) \\{").findAll(text).map { it.groupValues[1] }.toList()

    private fun block(kind: String, name: String): String {
        val empty = "$kind $name {}"
        val start = "$kind $name {\n"
        check(empty in text || start in text) { "the contract has no $kind $name" }
        return if (start in text) text.substringAfter(start).substringBefore("\n}") else ""
    }

    companion object {
        val ROUTING = setOf("deviceId", "sessionId", "invocationId")

        fun of(name: String) = Proto(File(System.getProperty("repo"), "proto/trailblaze/v1/$name.proto").readText())

        fun camel(name: String) = name.replace(Regex("_(.)")) { it.groupValues[1].uppercase() }
    }
}
