/** The face of the page's icon, in a mood. */
const MOUTHS = {
  smiling: 'M9 14.5a7.2 7.2 0 0 0 14 0',
  waiting: 'M11 16.5h10',
  laughing: 'M9.5 14a6.5 6.5 0 0 0 13 0z',
  puzzled: 'M11 17.5l10-2.5',
}

export function Face({ mood }: { mood: keyof typeof MOUTHS }) {
  return (
    <svg class="face" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M7 2h18a6 6 0 0 1 6 6v11a6 6 0 0 1-6 6H15l-7 6v-6H7a6 6 0 0 1-6-6V8a6 6 0 0 1 6-6z" />
      <path d={`M10.5 9v1.2M21.5 9v1.2${MOUTHS[mood]}`} />
    </svg>
  )
}
