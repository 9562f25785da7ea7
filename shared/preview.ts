/** The preview of the page, which services and messengers show beside a link. */
import type { StoredJoke } from './joke.ts'

/**
 * Sets the preview in the page's HTML: that of a joke, or the general one with absolute URLs.
 *
 * @param origin of the page, such as `https://jokes.example.com`
 */
export function withPreview(html: string, origin: string, joke?: StoredJoke): string {
  const values = new Map([
    ['url', `${origin}/${joke ? `?id=${joke.id}` : ''}`],
    ['image', `${origin}/card.png`],
  ])
  if (joke) values.set('title', joke.joke)
  if (joke?.punchline) values.set('description', joke.punchline)
  // `replace` would expand `$&` in a text, but not in what a function returns.
  return html.replace(META, (given, before: string, name: string) => {
    const value = values.get(name)
    return value === undefined ? given : before + escapeHtml(value)
  })
}

const META = /(<meta property="og:(\w+)" content=")[^"]*/g

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
