/** The page's icons, in the colour of the text around them, and its face. */
const PATHS = {
  thumb: 'M7 11v9H4v-9zM7 11l4-8c2 0 3 1.2 2.6 3L13 9h5.5c1.4 0 2.3 1.2 2 2.5l-1.5 7A2 2 0 0 1 17 20H7',
  dice: 'M5 2.5h14A2.5 2.5 0 0 1 21.5 5v14a2.5 2.5 0 0 1-2.5 2.5H5A2.5 2.5 0 0 1 2.5 19V5A2.5 2.5 0 0 1 5 2.5z M7.5 14.3a2.2 2.2 0 1 0 .01 0z M12 9.8a2.2 2.2 0 1 0 .01 0z M16.5 5.3a2.2 2.2 0 1 0 .01 0z',
  close: 'M4 4l16 16M20 4L4 20',
  back: 'M20 12H5M11 5.5L4.5 12l6.5 6.5',
  share: 'M12 15V4M8 7.5l4-4 4 4M5 12v7h14v-7',
}

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg class={`icon ${name}-icon`} viewBox="0 0 24 24" aria-hidden="true">
      <path fill-rule="evenodd" d={PATHS[name]} />
    </svg>
  )
}

const MOUTHS = {
  smiling: 'M9 14.5a7.2 7.2 0 0 0 14 0',
  waiting: 'M11 16.5h10',
  laughing: 'M9.5 14a6.5 6.5 0 0 0 13 0z',
  puzzled: 'M11 17.5l10-2.5',
}

/** The face of the page's icon, in a mood. */
export function Face({ mood }: { mood: keyof typeof MOUTHS }) {
  return (
    <svg class="face" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M7 2h18a6 6 0 0 1 6 6v11a6 6 0 0 1-6 6H15l-7 6v-6H7a6 6 0 0 1-6-6V8a6 6 0 0 1 6-6z" />
      <path fill={mood === 'laughing' ? '#1a1814' : 'none'} d={`M10.5 9v1.2M21.5 9v1.2${MOUTHS[mood]}`} />
    </svg>
  )
}
