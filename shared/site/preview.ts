/** The page's HTML for a joke: what search engines, messengers and browsers without scripts show of it. */
import type { Joke } from '../joke.ts'

/**
 * Sets the preview in the page's HTML: that of a joke, or the general one with absolute URLs. The punchline is in the
 * body for browsers without scripts, but not in the preview, because it would spoil the joke.
 *
 * @param origin of the page, such as `https://jokes.example.com`
 */
export function withPreview(html: string, origin: string, joke?: Joke): string {
  const values = new Map([
    ['url', `${origin}/${joke ? `?id=${joke.id}` : ''}`],
    ['image', `${origin}/card.png`],
  ])
  if (joke) values.set('title', joke.joke)
  if (joke?.punchline) values.set('description', 'Tap for the punchline.')
  // `replace` would expand `$&` in a text, but not in what a function returns.
  const previewed = html.replace(META, (given, before: string, name: string) => {
    const value = values.get(name)
    return value === undefined ? given : before + escapeHtml(value)
  })
  if (!joke) return previewed
  const setup = escapeHtml(joke.joke)
  const punch =
    joke.punchline && `<div class="punchline"><p class="bubble punch">${escapeHtml(joke.punchline)}</p></div>`
  const bubbles = `<img class="face" src="/icon.svg" alt=""><p class="bubble lead">${setup}</p>${punch}`
  const category = escapeHtml(joke.category)
  const card = `<div class="summary"></div><article class="joke large" data-category="${category}">${bubbles}</article>`
  return (
    previewed
      // The layout of a single joke, so that nothing moves when the script runs.
      .replace('<html', '<html class="single"')
      .replace('<title>', () => `<title>${setup} · `)
      .replace('<!--joke-->', () => card)
  )
}

const META = /(<meta property="og:(\w+)" content=")[^"]*/g

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
