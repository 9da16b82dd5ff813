// Acme Driver: somebody signs in and goes online. At the first start there are cookies and a tutorial in the way.

const id = (name) => `com.acme.driver:id/${name}`
const label = (text, top) => ({ text, bounds: [60, top, 1020, top + 100] })
const button = (text, name, top) => ({
  ...label(text, top),
  className: 'android.widget.Button', resourceId: id(name), isClickable: true,
})
const field = ({ [name]: text, focus }, name, hint, top) => ({
  ...button(text, name, top),
  className: 'android.widget.EditText', hintText: hint, isEditable: true, isFocused: focus === name,
  isPassword: name === 'password',
})

const screens = {
  start: (state) => [
    label(state.known ? 'Welcome back' : 'Create Account', 100),
    button('Sign in', 'sign_in', 300),
    ...(state.cookies ? [label('Accept Cookies', 500), button('Accept', 'accept', 600)] : []),
    ...(state.tutorial ? [label('Skip Tutorial', 800), button('Skip', 'skip', 900)] : []),
  ],
  form: (state) => [
    field(state, 'email', 'Email', 100),
    field(state, 'password', 'Password', 300),
    ...(state.wrong ? [label('Invalid credentials', 500)] : []),
    button('Submit', 'submit', 700),
  ],
  home: (state) => [
    label(`Hello ${state.email}`, 100),
    button(state.online ? 'Go Offline' : 'Go Online', 'online', 300),
    ...(state.scrolled ? [button('Help', 'contact', 500)] : [label('Earnings', 500)]),
  ],
}

const taps = {
  sign_in: (state) => ({ ...state, screen: 'form', focus: 'email' }),
  accept: (state) => ({ ...state, cookies: false }),
  skip: (state) => ({ ...state, tutorial: false }),
  email: (state) => ({ ...state, focus: 'email' }),
  password: (state) => ({ ...state, focus: 'password' }),
  online: (state) => ({ ...state, online: !state.online }),
  contact: (state, api) => void api.toast('We call you'),
  submit(state, api) {
    if (state.password.length < 4) return { ...state, wrong: true, password: '', focus: 'password' }
    // The server is far away.
    api.after(800, (later) => ({ ...later, screen: 'home', known: true }))
    return { ...state, wrong: false, focus: null }
  },
}

export const app = {
  id: 'com.acme.driver',
  initialState: {
    screen: 'start', focus: null, email: '', password: '',
    cookies: true, tutorial: true, known: false, wrong: false, online: false, scrolled: false,
  },

  render: (state) => ({
    keyboard: state.focus !== null,
    windows: [{ className: 'android.widget.FrameLayout', isScrollable: true, children: screens[state.screen](state) }],
  }),

  on: {
    tap: (state, event, api) => taps[event.id?.split('/')[1]]?.(state, api),
    text: (state, event) => ({ ...state, [state.focus]: state[state.focus] + event.text }),
    erase: (state, event) => ({ ...state, [state.focus]: state[state.focus].slice(0, -event.count) }),
    // Whoever is done with the first field goes on with the second.
    hideKeyboard: (state) => ({ ...state, focus: state.focus === 'email' ? 'password' : null }),
    scroll: (state) => ({ ...state, scrolled: true }),
    launch: (state, { cold }) => (cold ? { ...state, screen: 'start', focus: null, email: '', password: '' } : undefined),
  },
}
