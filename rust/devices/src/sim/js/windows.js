// The display as it is held, and the windows that belong to the phone: launcher, keyboard, toasts.

import { config } from 'trailblaze:sim/config';

// By quarter turns.
const ORIENTATIONS = ['portrait', 'landscapeLeft', 'upsideDown', 'landscapeRight'];

export function held(orientation) {
  const rotation = ORIENTATIONS.indexOf(orientation);
  const isTurned = rotation % 2 === 1;
  const width = isTurned ? config.height : config.width;
  const height = isTurned ? config.width : config.height;
  const keyboard = {
    window: 'keyboard',
    resourceId: 'sim:id/keyboard',
    className: 'android.inputmethodservice.SoftInputWindow',
    bounds: [0, Math.round((height * 2) / 3), width, height],
  };
  return { orientation, rotation, width, height, keyboard };
}

// `launch` on an icon names the app that it starts.
export function launcher(ids, { width }) {
  const margin = Math.round(width / 18);
  const icon = (id, i) => ({
    resourceId: 'sim:id/icon',
    className: 'android.widget.TextView',
    text: id,
    isClickable: true,
    bounds: [margin, 240 + i * 180, width - margin, 390 + i * 180],
    launch: id,
  });
  return {
    resourceId: 'sim:id/launcher',
    className: 'android.widget.FrameLayout',
    text: 'Home',
    children: ids.map(icon),
  };
}

// Newer toasts stand above older ones.
export function toast(text, i, { width, height }) {
  const bottom = height - 150 - i * 150;
  return {
    window: 'toast',
    className: 'android.widget.Toast',
    text,
    bounds: [Math.round(width * 0.1), bottom - 120, Math.round(width * 0.9), bottom],
  };
}
