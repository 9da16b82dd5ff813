// A shop where somebody can sign in.

const id = (name) => `com.example.shop:id/${name}`

export const app = {
  id: 'com.example.shop',
  initialState: { user: '', focused: false, page: 'start' },

  render: ({ user, focused, page }) => ({
    keyboard: focused,
    windows: [{
      className: 'android.widget.FrameLayout',
      children: page === 'start'
        ? [
            {
              className: 'android.widget.EditText', text: user, hintText: 'Name', resourceId: id('user'),
              isClickable: true, isEditable: true, isFocused: focused, bounds: [60, 400, 1020, 500],
            },
            {
              className: 'android.widget.Button', text: 'Sign in', resourceId: id('sign_in'), isClickable: true,
              bounds: [60, 600, 1020, 700],
            },
          ]
        : [{ text: `Welcome ${user}`, resourceId: id('welcome'), bounds: [60, 100, 1020, 200] }],
    }],
  }),

  on: {
    tap(state, event) {
      if (event.id?.endsWith('user')) return { ...state, focused: true }
      if (event.id?.endsWith('sign_in')) return { ...state, focused: false, page: 'welcome' }
    },
    text: (state, event) => ({ ...state, user: state.user + event.text }),
  },
}
