import { AddJoke, openAddJoke } from './addJoke.tsx'
import { Filters } from './filters.tsx'
import { Face } from './icon.tsx'
import { JokeList } from './jokeList.tsx'
import { view } from './navigation.ts'
import { SurpriseButton } from './surprise.tsx'
import { Text } from './text.tsx'
import { toast } from './toast.ts'
import type { View } from './urlState.ts'

/** The URL to report a joke, `mailto:` or `https:`, which site.ts sets. Without one, it is empty. */
declare const CONTACT: string

export function App() {
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('jokes')?.focus()}>
        Skip to the jokes
      </button>
      <header class="head">
        <a class="brand" href="/">
          <Face mood="smiling" />
          <h1>Joke Service</h1>
        </a>
        <p class="motto">Read one, groan, pass it on.</p>
        <div class="actions">
          <SurpriseButton id="surprise">Surprise me</SurpriseButton>
          <button id="add" type="button" onClick={openAddJoke}>
            Add a joke
          </button>
        </div>
      </header>
      <Filters />
      <JokeList />
      <footer class="foot">
        <a href="/docs.html">API reference</a>
        {CONTACT && <a href={reportUrl(view.value)}>Report a joke</a>}
      </footer>
      {globalThis.document && <AddJoke />}
      <output class="toast">{toast.value && <Text>{toast.value}</Text>}</output>
    </>
  )
}

/** Returns the URL to report a joke. The subject of an e-mail names the joke on the page. */
function reportUrl({ id }: View): string {
  return id && CONTACT.startsWith('mailto:') ? `${CONTACT}?subject=Joke%20${id}` : CONTACT
}
