export const app = {
  id: 'bench',
  initialState: { count: 0 },
  render: (state) => ({
    children: [
      { text: `Count ${state.count}`, resourceId: 'value', bounds: [0, 0, 1080, 60] },
      { text: '+', resourceId: 'plus', isClickable: true, bounds: [0, 60, 1080, 120] },
      ...Array.from({ length: 400 }, (_, row) => ({
        text: `Row ${row} of ${state.count}`,
        resourceId: `row_${row}`,
        isClickable: true,
        bounds: [0, 120 + 5 * row, 1080, 125 + 5 * row],
      })),
    ],
  }),
  on: {
    tap: (state, event) => (event.id === 'plus' ? { ...state, count: state.count + 1 } : undefined),
  },
}
