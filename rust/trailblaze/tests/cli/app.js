// The app of the command's tests: it shows what reached it.

const id = (name) => `com.example.lab:id/${name}`
const button = (text, name, top) => ({
  className: 'android.widget.Button', text, resourceId: id(name), isClickable: true, isLongClickable: true,
  bounds: [60, top, 1020, top + 100],
})

const spin = () => {
  for (;;);
}

export const app = {
  id: 'com.example.lab',
  initialState: { count: 0, text: '', note: 'nothing yet', focused: false, slow: '' },

  render: (state) => ({
    keyboard: state.focused,
    windows: [{
      className: 'android.widget.FrameLayout',
      children: [
        { text: 'Lab', isHeading: true, bounds: [60, 100, 1020, 180] },
        { text: `Count: ${state.count}`, resourceId: id('count'), bounds: [60, 200, 1020, 280] },
        { text: state.note, resourceId: id('note'), bounds: [60, 300, 1020, 380] },
        {
          className: 'android.widget.EditText', text: state.text, hintText: 'Say something', resourceId: id('field'),
          isClickable: true, isEditable: true, isFocused: state.focused, bounds: [60, 400, 1020, 500],
        },
        button('Add one', 'add', 600),
        button('Slow', 'slow', 720),
        button('Boom', 'boom', 840),
        button('Spin', 'spin', 960),
        state.slow !== '' && { text: state.slow, bounds: [60, 1080, 1020, 1160] },
        { className: 'android.widget.ScrollView', isScrollable: true, resourceId: id('list'), bounds: [0, 1200, 1080, 1600] },
      ],
    }],
  }),

  on: {
    tap(state, event, api) {
      switch (event.id?.split('/')[1]) {
        case 'add': return { ...state, count: state.count + 1 }
        case 'field': return { ...state, focused: true }
        case 'slow':
          api.after(20000, (s) => ({ ...s, slow: 'Here at last' }))
          return { ...state, slow: 'Wait' }
        case 'boom': throw new Error('boom in the handler')
        case 'spin': return spin()
      }
    },
    longPress: (state, event) => ({ ...state, note: `held ${event.node.text}` }),
    text: (state, event) => {
      console.log(`typed ${event.text}`)
      return { ...state, text: state.text + event.text }
    },
    erase: (state, event) => ({ ...state, text: state.text.slice(0, Math.max(0, state.text.length - event.count)) }),
    key: (state, event) => ({ ...state, note: `key ${event.key}` }),
    scroll: (state, event) => ({ ...state, note: `scrolled ${event.direction}` }),
    back: (state) => ({ ...state, note: 'went back' }),
    shell: (state, event) => ({ output: event.command }),
    openLink: (state, event) => ({ ...state, note: `link ${event.link}` }),
  },
}
