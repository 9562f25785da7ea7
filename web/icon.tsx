/** The page's icons, in the colour of the text around them. */
const PATHS = {
  down: 'M6 9.5l6 6 6-6',
  search: 'M15 6a6.4 6.4 0 1 0 .01.01M15 15l5 5',
  thumb: 'M7 11v9H4v-9zM7 11l4-8c2 0 3 1.2 2.6 3L13 9h5.5c1.4 0 2.3 1.2 2 2.5l-1.5 7A2 2 0 0 1 17 20H7',
  dice: 'M4.5 4.5h15v15h-15zM8.5 15.5h.01M12 12h.01M15.5 8.5h.01',
  share: 'M12 15V4M8 7.5l4-4 4 4M5 12v7h14v-7',
}

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
