package dev.trailblaze.sample

import android.os.Bundle
import androidx.activity.ComponentActivity
import androidx.activity.compose.setContent
import androidx.compose.foundation.clickable
import androidx.compose.foundation.layout.Column
import androidx.compose.foundation.layout.Row
import androidx.compose.foundation.layout.fillMaxSize
import androidx.compose.foundation.layout.fillMaxWidth
import androidx.compose.foundation.layout.height
import androidx.compose.foundation.lazy.LazyColumn
import androidx.compose.foundation.lazy.items
import androidx.compose.material3.Button
import androidx.compose.material3.Checkbox
import androidx.compose.material3.MaterialTheme
import androidx.compose.material3.Surface
import androidx.compose.material3.Switch
import androidx.compose.material3.Text
import androidx.compose.material3.TextField
import androidx.compose.runtime.Composable
import androidx.compose.runtime.LaunchedEffect
import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableIntStateOf
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.remember
import androidx.compose.runtime.setValue
import androidx.compose.ui.ExperimentalComposeUiApi
import androidx.compose.ui.Modifier
import androidx.compose.ui.platform.testTag
import androidx.compose.ui.semantics.contentDescription
import androidx.compose.ui.semantics.heading
import androidx.compose.ui.semantics.semantics
import androidx.compose.ui.semantics.testTagsAsResourceId
import androidx.compose.ui.unit.dp
import kotlinx.coroutines.delay

private const val BAYS = 30
private const val PERCENT_MS = 15L

/** What a courier checks before the round; all of it in Compose. */
class VanActivity : ComponentActivity() {
  override fun onCreate(savedInstanceState: Bundle?) {
    super.onCreate(savedInstanceState)
    setContent { MaterialTheme { Surface(Modifier.fillMaxSize()) { Van() } } }
  }
}

@Composable
private fun Van() {
  Column {
    Text("Your van", Modifier.semantics { heading() })
    Engine()
    Driver()
    Doors()
    Battery()
    Bays()
  }
}

/** A button is a node that takes clicks, and in it one with the text that does not. */
@Composable
private fun Engine() {
  var starts by remember { mutableIntStateOf(0) }
  Button(onClick = { starts++ }, modifier = Modifier.testTag("start")) { Text("Start the engine") }
  Text("Started: $starts", Modifier.testTag("starts"))
}

@Composable
private fun Driver() {
  var name by remember { mutableStateOf("") }
  TextField(
    value = name,
    onValueChange = { name = it },
    label = { Text("Driver") },
    modifier = Modifier.fillMaxWidth().testTag("driver"),
  )
  Text("Today: $name", Modifier.testTag("today"))
}

@Composable
private fun Doors() {
  var locked by remember { mutableStateOf(false) }
  var lights by remember { mutableStateOf(false) }
  Row {
    Checkbox(
      checked = locked,
      onCheckedChange = { locked = it },
      modifier = Modifier.testTag("locked").semantics { contentDescription = "Doors locked" },
    )
    Switch(checked = lights, onCheckedChange = { lights = it }, modifier = Modifier.testTag("lights"))
  }
}

/** Counts for half a second in a text that keeps its size, which accessibility is not told of. */
@Composable
private fun Battery() {
  var charging by remember { mutableStateOf(false) }
  var percent by remember { mutableIntStateOf(70) }
  LaunchedEffect(charging) {
    while (charging && percent < 100) {
      delay(PERCENT_MS)
      percent++
    }
  }
  Button(onClick = { charging = true }, modifier = Modifier.testTag("charge")) { Text("Charge the battery") }
  Text("Battery: $percent %", Modifier.fillMaxWidth().height(24.dp).testTag("battery"))
}

/** A list that has only the rows on the screen. Its tags are resource ids, too. */
@OptIn(ExperimentalComposeUiApi::class)
@Composable
private fun Bays() {
  var chosen by remember { mutableStateOf("none") }
  Text("Loading at: $chosen", Modifier.testTag("chosen"))
  LazyColumn(Modifier.fillMaxSize().testTag("bays").semantics { testTagsAsResourceId = true }) {
    items((1..BAYS).map { "Bay $it" }) { bay ->
      val row = Modifier.fillMaxWidth().height(48.dp).clickable { chosen = bay }
      Text(bay, row.testTag(bay.lowercase().replace(' ', '_')))
    }
  }
}
