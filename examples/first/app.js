// Parcel, a small app for couriers, played by the simulated phone.
//
// `render` turns the state into views, the handlers in `on` turn a touch into the next state.
// A view that does something carries `action`, a name from the table of actions below, and
// whatever that action has to know. Both come back with the touch.

const PACKAGE = 'com.example.parcel'
const PASSWORD = 'on-time-7'

const WIDTH = 1080
const HEIGHT = 2400
const MARGIN = 48

const STATUS_BAR = 72
const APP_BAR = 216
const TAB_BAR = 2220
const ROW = 208

const SIGN_IN_MS = 800
const REFRESH_MS = 600
const ROUTE_MS = 3000
const SPINNER_MS = 200
const SAVE_FRAMES = 10
const SAVE_FRAME_MS = 100

// ------------------------------------------------------------------ data

const ROUND = [
  ['Ada Bauer', '3 Station Road'],
  ['Ben Carter', '18 Station Road'],
  ['Chloe Diaz', '5 Mill Lane'],
  ['Dario Esposito', '9 Mill Lane'],
  ['Emma Fischer', '31 Harbour Street'],
  ['Farid Ghani', '40 Harbour Street'],
  ['Grace Hughes', '2 Garden Square'],
  ['Hiro Ito', '7 Garden Square'],
  ['Ines Jansen', '11 Garden Square'],
  ['Jonas Keller', '64 Long Acre'],
  ['Kira Lund', '70 Long Acre'],
  ['Liam Moreau', '1 Bridge Street'],
  ['Mona Novak', '15 Bridge Street'],
  ['Noah Okafor', '22 Bridge Street'],
  ['Olga Petrova', '14 Mill Lane'],
  ['Pia Quist', '8 Church Hill'],
  ['Quentin Roy', '12 Church Hill'],
  ['Rosa Silva', '6 Market Place'],
  ['Samir Tahan', '10 Market Place'],
  ['Tess Unger', '27 Park Row'],
  ['Ugo Valli', '29 Park Row'],
  ['Vera Weiss', '33 Park Row'],
  ['Will Xu', '4 Tower Court'],
  ['Yara Zeman', '16 Tower Court'],
]

const pad = (number) => String(number).padStart(2, '0')

const newParcel = ([name, street], index) => ({
  code: `P-${1001 + index}`,
  name,
  street,
  due: `${pad(9 + Math.floor(index / 4))}:${pad((index % 4) * 15)}`,
  status: '', // 'Delivered', 'Card left', or still to do
  pinned: false,
})

const initialState = () => ({
  screen: 'signIn',
  fields: { email: '', password: '', search: '', recipient: '', phone: '', boxes: '' },
  errors: {},
  focus: null,
  dialog: null,

  courier: null,
  remember: false,
  busy: false,
  link: null, // opened before anybody had signed in

  notifications: 'unasked', // then 'granted' or 'denied'
  vibrate: true,
  bigMap: false,
  online: true,

  parcels: ROUND.map(newParcel),
  current: null,
  scroll: 0,
  tip: true,
  refreshed: false,
  zoom: 1,
  saved: 0,
  route: { phase: 'idle', frame: 0 }, // then 'planning', 'ready', 'started'
})

const find = (state, code) => state.parcels.find((parcel) => parcel.code === code)
const left = (state) => state.parcels.filter((parcel) => !parcel.status)

const listed = (state) => {
  const query = state.fields.search.trim().toLowerCase()
  return state.parcels
    .filter(({ code, name, street }) => `${code} ${name} ${street}`.toLowerCase().includes(query))
    .toSorted((a, b) => b.pinned - a.pinned)
}

// ------------------------------------------------------------------ views

const view = (type, { id, ...props }, children = []) => ({
  className: type.includes('.') ? type : `android.widget.${type}`,
  ...(id && { resourceId: `${PACKAGE}:id/${id}` }),
  ...props,
  children,
})

const at = (bounds, node) => ({ ...node, bounds })

/** Stacks views from `top` down; each brings its height, a number is a gap. */
const column = (top, items, [start, end] = [MARGIN, WIDTH - MARGIN]) => {
  let y = top
  return items.flatMap((item) => {
    if (!item) return []
    const from = y
    y += item.height ?? item
    return item.height ? [at([start, from, end, y], item)] : []
  })
}

/** What is left of a view inside a viewport, as Android reports it; null when nothing is. */
const clip = (node, top, bottom) => {
  const [l, t, r, b] = node.bounds
  if (b <= top || t >= bottom) return null
  const children = node.children.map((child) => clip(child, top, bottom)).filter(Boolean)
  return { ...node, bounds: [l, Math.max(t, top), r, Math.min(b, bottom)], children }
}

const text = (value, props) => view('TextView', { text: value, height: 56, ...props })
const small = (value, props) => text(value, { height: 44, ...props })
const heading = (value, props) => text(value, { height: 88, isHeading: true, ...props })

const clickable = { isClickable: true, isFocusable: true }

const button = (label, action, props) =>
  view('Button', { text: label, height: 132, ...clickable, action, ...props })

const icon = (description, action, props) =>
  view('ImageButton', { contentDescription: description, ...clickable, action, ...props })

const checkable = (type, label, isChecked, action, props) =>
  view(type, { text: label, height: 104, isCheckable: true, isChecked, ...clickable, action, ...props })

/** An input with the complaint about it underneath. */
const field = (state, name, hint, props) => {
  const value = state.fields[name]
  const error = state.errors[name]
  return [
    view('EditText', {
      id: name,
      hintText: hint,
      ...(value && { text: props?.isPassword ? '•'.repeat(value.length) : value }),
      isShowingHintText: !value,
      height: 136,
      ...clickable,
      isEditable: true,
      isFocused: state.focus === name,
      isContentInvalid: Boolean(error),
      action: 'focus',
      field: name,
      ...props,
    }),
    12,
    error ? small(error, { id: `${name}_error` }) : 44,
    16,
  ]
}

const appBar = (title, back = true) => [
  back && at([0, STATUS_BAR, 144, APP_BAR], icon('Back', 'back', { id: 'back' })),
  at([back ? 160 : MARGIN, STATUS_BAR + 28, 900, APP_BAR - 28], heading(title, { id: 'title' })),
]

const TABS = [
  ['parcels', 'Parcels'],
  ['route', 'Route'],
  ['settings', 'Settings'],
]

const tabBar = (state) =>
  at(
    [0, TAB_BAR, WIDTH, HEIGHT],
    view('LinearLayout', { id: 'tabs' }, TABS.map(([screen, label], index) =>
      at(
        [index * 360, TAB_BAR, (index + 1) * 360, HEIGHT],
        button(label, 'openTab', { id: `tab_${screen}`, isSelected: state.screen === screen, screen }),
      ))),
  )

const contentBottom = (state) => (state.online ? TAB_BAR : TAB_BAR - 88)

const offlineBar = (state) =>
  !state.online && at([0, TAB_BAR - 88, WIDTH, TAB_BAR], text('You are offline', { id: 'offline' }))

// ------------------------------------------------------------------ screens

const signInScreen = (state) => {
  const { email, password } = state.fields
  return column(300, [
    heading('Parcel', { id: 'logo', height: 112 }),
    16,
    text('Deliveries for couriers'),
    100,
    ...field(state, 'email', 'E-mail', { inputType: 0x21 }),
    ...field(state, 'password', 'Password', { inputType: 0x81, isPassword: true }),
    checkable('CheckBox', 'Remember me', state.remember, 'toggle', { id: 'remember', setting: 'remember' }),
    36,
    button(state.busy ? 'Signing in' : 'Sign in', 'signIn', {
      id: 'sign_in',
      isEnabled: Boolean(email && password) && !state.busy,
    }),
    28,
    button('Forgot your password?', 'forgotPassword', { id: 'forgot', height: 96 }),
  ])
}

const SEARCH = [MARGIN, 308, WIDTH - MARGIN, 436]
const TIP = [MARGIN, 460, WIDTH - MARGIN, 580]

const listTop = (state) => (state.tip ? TIP[3] : SEARCH[3]) + 24

const maxScroll = (state) =>
  Math.max(0, listed(state).length * ROW - (contentBottom(state) - listTop(state)))

const searchBar = (state) => {
  const [start, top, end, bottom] = SEARCH
  const [input] = field(state, 'search', 'Search parcels')
  if (!state.fields.search) return [at(SEARCH, input)]
  return [
    at([start, top, end - 144, bottom], input),
    at([end - 128, top, end, bottom], icon('Clear search', 'clearSearch', { id: 'search_clear' })),
  ]
}

const parcelRow = (parcel, index, y) =>
  at(
    [0, y, WIDTH, y + ROW],
    view('LinearLayout', {
      id: 'parcel',
      ...clickable,
      isLongClickable: true,
      action: 'openParcel',
      code: parcel.code,
      collectionItemInfo: { rowIndex: index, rowSpan: 1, columnIndex: 0, columnSpan: 1 },
    }, [
      at([MARGIN, y + 28, 720, y + 88], text(parcel.name, { id: 'parcel_name' })),
      at([MARGIN, y + 104, 720, y + 152], small(`${parcel.code}, ${parcel.street}`, { id: 'parcel_address' })),
      at([760, y + 32, WIDTH - MARGIN, y + 84], small(parcel.due, { id: 'parcel_due' })),
      (parcel.status || parcel.pinned) &&
        at([760, y + 104, WIDTH - MARGIN, y + 152], small(parcel.status || 'Pinned', { id: 'parcel_status' })),
    ].filter(Boolean)),
  )

const parcelsScreen = (state) => {
  const shown = listed(state)
  const count = state.parcels.length
  const top = listTop(state)
  const bottom = contentBottom(state)
  const first = top - Math.min(state.scroll, maxScroll(state))
  const rows = shown
    .map((parcel, index) => clip(parcelRow(parcel, index, first + index * ROW), top, bottom))
    .filter(Boolean)

  return [
    ...appBar('Today', false),
    at(
      [MARGIN, APP_BAR + 4, 600, APP_BAR + 60],
      text(state.fields.search ? `${shown.length} of ${count} parcels` : `${count} parcels today`, { id: 'count' }),
    ),
    state.refreshed &&
      at([632, APP_BAR + 8, WIDTH - MARGIN, APP_BAR + 52], small('Updated just now', { id: 'updated' })),
    ...searchBar(state),
    state.tip && at(TIP, text('Tip: hold a parcel for more actions', { id: 'tip' })),
    at(
      [0, top, WIDTH, bottom],
      view('androidx.recyclerview.widget.RecyclerView', {
        id: 'parcel_list',
        isScrollable: maxScroll(state) > 0,
        collectionInfo: { rowCount: shown.length, columnCount: 1 },
      }, rows),
    ),
    shown.length === 0 && at([MARGIN, top + 120, WIDTH - MARGIN, top + 184], text('No parcels found', { id: 'empty' })),
    offlineBar(state),
    tabBar(state),
  ]
}

const parcelScreen = (state) => {
  const parcel = find(state, state.current)
  const place = state.parcels.indexOf(parcel) + 1
  return [
    ...appBar(parcel.code),
    at([WIDTH - 144, STATUS_BAR, WIDTH, APP_BAR], icon('Call', 'call', { id: 'call' })),
    ...column(APP_BAR + 24, [
      view('ImageView', {
        id: 'photo',
        contentDescription: 'Photo of the door',
        height: 560,
        isLongClickable: true,
        action: 'photo',
      }),
      16,
      small(`Zoom ${state.zoom}x`, { id: 'zoom' }),
      52,
      heading(parcel.name, { id: 'name' }),
      16,
      text(parcel.street, { id: 'street' }),
      16,
      text(`Due at ${parcel.due}`, { id: 'due' }),
      16,
      text(parcel.status || 'Still to deliver', { id: 'status' }),
      96,
      button('Hand over', 'startHandOver', { id: 'hand_over', isEnabled: !parcel.status }),
      28,
      button('Nobody home', 'askAbsent', { id: 'absent', isEnabled: !parcel.status, code: parcel.code }),
      96,
      small(`${place} of ${state.parcels.length}, swipe for the next one`, { id: 'position' }),
    ]),
  ]
}

const handOverScreen = (state) => [
  ...appBar('Hand over'),
  ...column(APP_BAR + 40, [
    text(`${state.current}, ${find(state, state.current).name}`, { id: 'subject' }),
    60,
    ...field(state, 'recipient', 'Received by', { inputType: 0x61 }),
    ...field(state, 'phone', 'Phone', { inputType: 0x3 }),
    ...field(state, 'boxes', 'Number of boxes', { inputType: 0x2 }),
    40,
    button('Confirm', 'confirmHandOver', { id: 'confirm' }),
  ]),
]

const bar = (done, of) => '█'.repeat(done) + '░'.repeat(of - done)

const savedScreen = (state) => {
  const done = state.saved === SAVE_FRAMES
  return column(760, [
    heading(done ? 'Delivered' : 'Saving', { id: 'title', height: 112 }),
    40,
    view('ProgressBar', {
      id: 'progress',
      text: bar(state.saved, SAVE_FRAMES),
      stateDescription: `${state.saved * 10} percent`,
      height: 56,
    }),
    40,
    done && text(`${state.current} went to ${state.fields.recipient}`, { id: 'result' }),
    16,
    done && !state.online && small('It is sent as soon as you are online', { id: 'pending' }),
    100,
    done && button('Back to the list', 'openTab', { id: 'done', screen: 'parcels' }),
  ])
}

const KNOB = [72, 1880, 232, 2040]

const routeScreen = (state) => {
  const { phase, frame } = state.route
  const content =
    phase === 'idle' || phase === 'planning'
      ? column(960, [
          text('Planning your route', { id: 'planning' }),
          32,
          view('ProgressBar', {
            id: 'spinner',
            contentDescription: 'Loading',
            text: ['█░░░░', '░█░░░', '░░█░░', '░░░█░', '░░░░█'][frame % 5],
            height: 56,
          }),
        ])
      : [
          ...column(APP_BAR + 60, [
            heading(phase === 'ready' ? 'Your route is ready' : 'Tour started', { id: 'headline' }),
            20,
            text(`${left(state).length} stops, 38 km`, { id: 'summary' }),
            80,
            ...left(state).slice(0, 4).flatMap(({ due, name, street }) => [
              text(`${due}  ${name}`),
              8,
              small(street),
              48,
            ]),
          ]),
          phase === 'ready' &&
            at(
              [MARGIN, KNOB[1] - 24, WIDTH - MARGIN, KNOB[3] + 24],
              view('FrameLayout', { id: 'slider' }, [
                at(KNOB, view('ImageView', { id: 'knob', contentDescription: 'Slider' })),
                at([272, KNOB[1] + 48, 980, KNOB[3] - 48], text('Slide to start the tour')),
              ]),
            ),
        ]
  return [...appBar('Route', false), ...content, offlineBar(state), tabBar(state)]
}

const settingsScreen = (state) => {
  const allowed = state.notifications === 'granted'
  return [
    ...appBar('Settings', false),
    ...column(APP_BAR + 40, [
      text(`Signed in as ${state.courier}`, { id: 'account' }),
      64,
      checkable('Switch', 'Notifications', allowed, 'toggleNotifications', { id: 'notifications' }),
      small(allowed ? 'Notifications are on' : 'Notifications are off', { id: 'notifications_state' }),
      40,
      checkable('Switch', 'Vibrate on arrival', state.vibrate, 'toggle', { id: 'vibrate', setting: 'vibrate' }),
      40,
      checkable('Switch', 'Large map', state.bigMap, 'toggle', { id: 'big_map', setting: 'bigMap' }),
      40,
      checkable('CheckBox', 'Stay signed in', state.remember, 'toggle', { id: 'stay', setting: 'remember' }),
      100,
      button('Sign out', 'askSignOut', { id: 'sign_out' }),
      60,
      small('Parcel 1.4.0', { id: 'version' }),
    ]),
    offlineBar(state),
    tabBar(state),
  ]
}

const screens = {
  signIn: signInScreen,
  parcels: parcelsScreen,
  parcel: parcelScreen,
  handOver: handOverScreen,
  saved: savedScreen,
  route: routeScreen,
  settings: settingsScreen,
}

// ------------------------------------------------------------------ dialogs

const question = (title, message, buttons) => {
  const box = [90, 860, 990, 1260 + buttons.length * 112]
  return at(box, view('FrameLayout', { window: 'dialog', paneTitle: title }, column(box[1] + 56, [
    text(title, { id: 'dialog_title', height: 72, isHeading: true }),
    28,
    small(message, { id: 'dialog_message' }),
    72,
    ...buttons.flatMap((each) => [each, 24]),
  ], [box[0] + 56, box[2] - 56])))
}

const menu = (items) => {
  const box = [300, 900, 1000, 948 + items.length * 132]
  return at(box, view('ListView', { window: 'dialog', paneTitle: 'Menu' }, column(box[1] + 24, items, [box[0], box[2]])))
}

const dialogs = {
  permission: () =>
    question('Allow Parcel to notify you?', 'About new parcels on your round', [
      button('Allow', 'answerPermission', { id: 'allow', granted: true }),
      button("Don't allow", 'answerPermission', { id: 'dont_allow', granted: false }),
    ]),
  signOut: () =>
    question('Sign out of Parcel?', 'Your round stays on this phone', [
      button('Yes, sign out', 'signOut', { id: 'yes' }),
      button('Cancel', 'closeDialog', { id: 'cancel' }),
    ]),
  absent: (state) =>
    question('Leave a card?', `${find(state, state.dialog.code).name} did not open`, [
      button('Leave a card', 'leaveCard', { id: 'yes', code: state.dialog.code }),
      button('Cancel', 'closeDialog', { id: 'cancel' }),
    ]),
  menu: (state) => {
    const { code, pinned } = find(state, state.dialog.code)
    return menu([
      button(pinned ? 'Unpin' : 'Pin to top', 'pin', { id: 'menu_pin', code }),
      button('Nobody home', 'askAbsent', { id: 'menu_absent', code }),
      button('Share the code', 'share', { id: 'menu_share', code }),
    ])
  },
}

// ------------------------------------------------------------------ what happens

const go = (state, screen, more) => ({ ...state, screen, focus: null, errors: {}, dialog: null, ...more })

const open = (state, code) => go(state, 'parcel', { current: code, zoom: 1 })

const change = (state, code, news) => ({
  ...state,
  dialog: null,
  parcels: state.parcels.map((parcel) => (parcel.code === code ? { ...parcel, ...news } : parcel)),
})

const checks = {
  email: (value) => !/^\S+@\S+\.\S+$/.test(value) && 'Enter a valid e-mail address',
  recipient: (value) => !value.trim() && 'Enter who took the parcel',
  phone: (value) => value.replace(/\D/g, '').length < 6 && 'Enter a phone number',
  boxes: (value) => !/^[1-9]$/.test(value) && 'Enter a number from 1 to 9',
}

const complaints = (state, names) =>
  Object.fromEntries(names.map((name) => [name, checks[name](state.fields[name])]).filter(([, error]) => error))

const setField = (state, name, value) => ({
  ...state,
  fields: { ...state.fields, [name]: value },
  errors: { ...state.errors, [name]: undefined },
  ...(name === 'search' && { scroll: 0 }),
})

const accepted = {
  phone: (typed) => typed.replace(/[^\d+ ]/g, ''),
  boxes: (typed) => typed.replace(/\D/g, ''),
}

const answerSignIn = (state) => {
  if (state.fields.password !== PASSWORD) {
    return { ...state, busy: false, errors: { password: 'E-mail and password do not match' } }
  }
  const home = go(state, 'parcels', { busy: false, courier: state.fields.email, link: null })
  const next = state.link ? followLink(home, state.link) : home
  return state.notifications === 'unasked' ? { ...next, dialog: { kind: 'permission' } } : next
}

const spin = (state, api) => {
  const frame = state.route.frame + 1
  if (frame * SPINNER_MS >= ROUTE_MS) return { ...state, route: { phase: 'ready', frame } }
  api.after(SPINNER_MS, spin)
  return { ...state, route: { phase: 'planning', frame } }
}

const save = (code) => (state, api) => {
  const saved = state.saved + 1
  if (saved < SAVE_FRAMES) {
    api.after(SAVE_FRAME_MS, save(code))
    return { ...state, saved }
  }
  api.toast('Hand-over saved')
  return { ...change(state, code, { status: 'Delivered' }), saved }
}

const actions = {
  back: (state, _, api) => back(state, api),
  closeDialog: (state) => ({ ...state, dialog: null }),
  focus: (state, { field }) => ({ ...state, focus: field }),
  toggle: (state, { setting }) => ({ ...state, [setting]: !state[setting] }),

  signIn: (state, _, api) => {
    const errors = complaints(state, ['email'])
    if (errors.email) return { ...state, errors }
    api.after(SIGN_IN_MS, answerSignIn)
    return { ...state, errors, busy: true, focus: null }
  },
  forgotPassword: (state, _, api) => {
    const errors = complaints(state, ['email'])
    if (!errors.email) api.toast(`We sent a link to ${state.fields.email}`)
    return { ...state, errors }
  },
  answerPermission: (state, { granted }) => ({
    ...state,
    dialog: null,
    notifications: granted ? 'granted' : 'denied',
  }),

  openTab: (state, { screen }, api) => {
    const next = go(state, screen)
    if (screen !== 'route' || state.route.phase !== 'idle') return next
    api.after(SPINNER_MS, spin)
    return { ...next, route: { phase: 'planning', frame: 0 } }
  },
  clearSearch: (state) => ({ ...setField(state, 'search', ''), focus: 'search' }),
  openParcel: (state, { code }) => open(state, code),
  pin: (state, { code }) => ({ ...change(state, code, { pinned: !find(state, code).pinned }), scroll: 0 }),
  share: (state, { code }, api) => {
    api.toast(`${code} shared`)
    return { ...state, dialog: null }
  },
  askAbsent: (state, { code }) => ({ ...state, dialog: { kind: 'absent', code } }),
  leaveCard: (state, { code }) => change(state, code, { status: 'Card left' }),
  call: (state, _, api) => void api.toast(`Calling ${find(state, state.current).name}`),

  startHandOver: (state) =>
    go(state, 'handOver', { fields: { ...state.fields, recipient: '', phone: '', boxes: '' } }),
  confirmHandOver: (state, _, api) => {
    const errors = complaints(state, ['recipient', 'phone', 'boxes'])
    if (Object.keys(errors).length > 0) return { ...state, errors, focus: null }
    api.after(SAVE_FRAME_MS, save(state.current))
    return go(state, 'saved', { saved: 0 })
  },

  toggleNotifications: (state) =>
    state.notifications === 'granted'
      ? { ...state, notifications: 'denied' }
      : { ...state, dialog: { kind: 'permission' } },
  askSignOut: (state) => ({ ...state, dialog: { kind: 'signOut' } }),
  signOut: (state) => signedOut(state),
}

const signedOut = (state) =>
  go(state, 'signIn', { courier: null, fields: { ...state.fields, password: '', search: '' }, scroll: 0 })

const back = (state, api) => {
  if (state.dialog) return { ...state, dialog: null }
  switch (state.screen) {
    case 'handOver':
      return open(state, state.current)
    case 'signIn':
      return void api.finish()
    case 'parcels':
      return state.fields.search ? setField(state, 'search', '') : void api.finish()
    default:
      return go(state, 'parcels')
  }
}

const followLink = (state, link) => {
  const code = link.match(/P-\d{4}/i)?.[0].toUpperCase()
  if (find(state, code)) return open(state, code)
  return link.endsWith('/settings') ? go(state, 'settings') : state
}

const inside = ([l, t, r, b], x, y) => l <= x && x <= r && t <= y && y <= b

const scroll = (state, { x1, y1, dy, direction }, api) => {
  const sideways = direction === 'left' || direction === 'right'

  if (state.screen === 'parcel' && sideways) {
    const index = state.parcels.findIndex((parcel) => parcel.code === state.current)
    const next = state.parcels[index + (direction === 'left' ? 1 : -1)]
    return next && open(state, next.code)
  }
  if (state.screen !== 'parcels' || state.dialog) return
  if (sideways) return state.tip && inside(TIP, x1, y1) ? { ...state, tip: false } : undefined

  if (dy > 0 && state.scroll === 0) {
    api.after(REFRESH_MS, (later) => ({ ...later, refreshed: true }))
    return
  }
  return { ...state, scroll: Math.min(Math.max(state.scroll - dy, 0), maxScroll(state)) }
}

const nextField = { email: 'password', recipient: 'phone', phone: 'boxes' }

export const app = {
  id: PACKAGE,
  initialState,

  render(state) {
    const content = screens[state.screen](state).filter(Boolean)
    const dialog = state.dialog && dialogs[state.dialog.kind](state)
    return {
      windows: [view('FrameLayout', { packageName: PACKAGE }, content), dialog].filter(Boolean),
      keyboard: state.focus !== null && !dialog,
    }
  },

  on: {
    tap(state, { node, outside }, api) {
      if (outside) return state.dialog?.kind === 'permission' ? state : { ...state, dialog: null }
      return actions[node?.action]?.(state, node, api)
    },

    longPress(state, { node }, api) {
      if (node?.action === 'openParcel') return { ...state, focus: null, dialog: { kind: 'menu', code: node.code } }
      if (node?.action === 'photo') api.toast('Photo saved')
    },

    doubleTap(state, { node }) {
      if (node?.action === 'photo') return { ...state, zoom: state.zoom === 1 ? 2 : 1 }
    },

    pinch(state, { scale }) {
      if (state.screen === 'parcel') return { ...state, zoom: scale > 1 ? 2 : 1 }
    },

    text(state, { text: typed }) {
      const name = state.focus
      return setField(state, name, state.fields[name] + (accepted[name]?.(typed) ?? typed))
    },

    erase(state, { count }) {
      const value = state.fields[state.focus]
      return setField(state, state.focus, value.slice(0, Math.max(0, value.length - count)))
    },

    key(state, { key }, api) {
      if (!state.focus) return
      if (key === 'BACKSPACE') return setField(state, state.focus, state.fields[state.focus].slice(0, -1))
      if (key !== 'ENTER' && key !== 'TAB') return
      if (nextField[state.focus]) return { ...state, focus: nextField[state.focus] }
      if (key === 'ENTER' && state.focus === 'password' && state.fields.email && state.fields.password) {
        return actions.signIn(state, null, api)
      }
      return { ...state, focus: null }
    },

    scroll,

    drag(state, event, api) {
      const slid = inside(KNOB, event.x1, event.y1) && event.dx > 600
      if (state.screen !== 'route' || state.route.phase !== 'ready' || !slid) return scroll(state, event, api)
      return { ...state, route: { ...state.route, phase: 'started' } }
    },

    back(state, _, api) {
      return back(state, api)
    },

    /** The round survives a restart; who is signed in only when the courier wanted that. */
    launch(state, { cold }) {
      if (!cold) return
      const fresh = { ...state, busy: false, link: null, refreshed: false, route: { phase: 'idle', frame: 0 } }
      return state.courier && state.remember ? go(fresh, 'parcels') : signedOut(fresh)
    },

    openLink(state, { link }) {
      return state.courier ? followLink(state, link) : { ...state, link }
    },

    permission(state, { permission, granted }) {
      if (!/POST_NOTIFICATIONS$|^notifications$|^all$/.test(permission)) return
      const dialog = state.dialog?.kind === 'permission' ? null : state.dialog
      return { ...state, dialog, notifications: granted ? 'granted' : 'denied' }
    },

    connection(state, { connected }) {
      return { ...state, online: connected }
    },

    /** `am broadcast -a com.example.parcel.NEW_PARCEL --es name Zoe` puts a parcel on the round. */
    shell(state, { command }) {
      const name = command.match(/NEW_PARCEL --es name (\S+)/)?.[1]
      if (!name) return
      const parcel = newParcel([name, '1 Depot Road'], state.parcels.length)
      return { state: { ...state, parcels: [...state.parcels, parcel] }, output: 'Broadcast completed: result=0' }
    },
  },
}
