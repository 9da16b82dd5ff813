export const app = {
  id: 'bench',
  initialState: { count: 0 },
  render: (state) => ({
    children: [
      { text: String(state.count), resourceId: 'value', bounds: [0, 0, 1080, 200] },
      { text: '+', resourceId: 'plus', isClickable: true, bounds: [0, 300, 1080, 500] },
    ],
  }),
  on: {
    tap: (state, event) => (event.id === 'plus' ? { ...state, count: state.count + 1 } : undefined),
  },
}
