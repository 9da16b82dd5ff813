// A desk where every command leaves a trace: somebody signs in, then there is a list, a field, and a line that says what
// happened last.

const id = (name) => `com.example.desk:id/${name}`
const label = (text, name, top) => ({ text, resourceId: id(name), bounds: [60, top, 1020, top + 80] })
const button = (text, name, top) => ({ ...label(text, name, top), className: 'android.widget.Button', isClickable: true })
const field = (state, name, hint, top) => ({
  ...button(state.fields[name], name, top),
  className: 'android.widget.EditText', hintText: hint, isEditable: true, isFocused: state.focus === name,
})

const ROWS = 20
const SHOWN = 5
const LIST = [0, 900, 1080, 1500]

const signIn = (state) => [
  label('Welcome', 'title', 100),
  field(state, 'email', 'Email', 300),
  field(state, 'password', 'Password', 400),
  button('Sign in', 'sign_in', 600),
  button('Help', 'help', 700),
  button('Help', 'help', 800),
]

const desk = (state) => [
  label(`Hello ${state.fields.email}`, 'title', 100),
  label(state.last, 'last', 200),
  field(state, 'note', 'Note', 300),
  button('Slow', 'slow', 600),
  {
    resourceId: id('list'), isScrollable: true, bounds: LIST,
    children: Array.from({ length: SHOWN }, (_, place) => label(`Row ${state.top + place + 1}`, 'row', 920 + place * 110)),
  },
]

const say = (state, last) => ({ ...state, last })
const type = (state, text) => ({ ...state, fields: { ...state.fields, [state.focus]: text } })

export const app = {
  id: 'com.example.desk',
  initialState: { screen: 'signIn', focus: null, fields: { email: '', password: '', note: '' }, top: 0, last: 'nothing' },

  render: (state) => ({
    keyboard: state.focus !== null,
    windows: [{ className: 'android.widget.FrameLayout', children: (state.screen === 'desk' ? desk : signIn)(state) }],
  }),

  on: {
    tap(state, event, api) {
      const name = event.id?.split('/')[1]
      if (name in state.fields) return { ...state, focus: name }
      if (name === 'sign_in' && state.fields.email) return { ...state, screen: 'desk', focus: null }
      if (name === 'slow') api.after(1500, (later) => say(later, 'slow and done'))
      return say(state, `tapped ${name}`)
    },
    longPress: (state, event) => say(state, `held ${event.id?.split('/')[1]}`),
    text: (state, { text }) => type(state, state.fields[state.focus] + text),
    erase: (state, { count }) => type(state, state.fields[state.focus].slice(0, -count)),
    key: (state, { key }) => say(state, `key ${key}`),
    hideKeyboard: (state) => ({ ...state, focus: null }),
    scroll(state, { direction }) {
      const way = { up: 3, down: -3 }[direction]
      if (way === undefined) return say(state, `swiped ${direction}`)
      return { ...say(state, `swiped ${direction}`), top: Math.min(Math.max(state.top + way, 0), ROWS - SHOWN) }
    },
    pinch: (state, { scale }) => say(state, `pinched by ${scale}`),
    back: (state) => say(state, 'back'),
    openLink: (state, { link }) => ({ ...say(state, `opened ${link}`), screen: 'desk' }),
    permission: (state, { permission, granted }) => say(state, `${permission} ${granted ? 'granted' : 'refused'}`),
    clipboard: (state, { text }) => say(state, `copied ${text}`),
    connection: (state, { connected }) => say(state, connected ? 'online' : 'offline'),
    rotate: (state, { orientation }) => say(state, `turned ${orientation}`),
    location: (state, { latitude, longitude }) => say(state, `at ${latitude} ${longitude}`),
    shell: (state, { command }) => ({ state: say(state, 'shell'), output: `ran ${command}` }),
  },
}
