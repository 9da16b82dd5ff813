package dev.trailblaze.sampletools

import dev.trailblaze.tool.ToolFailure
import dev.trailblaze.tool.TrailblazeCommands
import dev.trailblaze.tool.TrailblazeTool

/** Reads how many parcels there are, in the way an app's own test APK would bring it along. */
class CountParcels : TrailblazeTool {
  override fun describe(): String = """
    {
      "name": "parcel_count",
      "description": "Says how many parcels are on the round, and fails when there are fewer than wanted",
      "inputSchema": {
        "type": "object",
        "properties": { "least": { "type": "integer" }, "search": { "type": "string" } },
        "required": ["least"]
      }
    }
  """

  override fun execute(arguments: String, commands: TrailblazeCommands): String {
    val least = Regex("\"least\":\\s*(\\d+)").find(arguments)!!.groupValues[1].toInt()
    Regex("\"search\":\\s*\"([^\"]*)\"").find(arguments)?.let {
      commands.tapId("search")
      commands.inputText(it.groupValues[1])
    }
    val said = commands.elementText("count") ?: throw ToolFailure("nothing says how many parcels there are")
    val found = said.substringBefore(' ').toInt()
    if (found < least) throw ToolFailure("only $found parcels, not $least: '$said'")
    return "\"$found parcels\""
  }
}
