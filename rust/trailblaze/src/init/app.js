// The app under test, as the embedded device runs it: state in, screen out.

const text = (value, bounds, more = {}) => ({ className: 'android.widget.TextView', text: value, bounds, ...more })
const button = (value, id, bounds) => ({
  className: 'android.widget.Button', text: value, resourceId: `com.example.counter:id/${id}`, isClickable: true, bounds,
})

export const app = {
  id: 'com.example.counter',
  initialState: { count: 0 },

  render: (state) => ({
    className: 'android.widget.FrameLayout',
    children: [
      text('Counter', [60, 120, 1020, 220], { isHeading: true }),
      text(String(state.count), [60, 500, 1020, 700], { resourceId: 'com.example.counter:id/value' }),
      button('+', 'plus', [60, 800, 1020, 960]),
      button('Start again', 'reset', [60, 1000, 1020, 1160]),
    ],
  }),

  on: {
    tap(state, event) {
      if (event.id?.endsWith('plus')) return { ...state, count: state.count + 1 }
      if (event.id?.endsWith('reset')) return { ...state, count: 0 }
    },
  },
}
