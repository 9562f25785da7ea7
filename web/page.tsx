/** The whole page. */
import { AddJoke, openAddJoke } from './addJoke.tsx'
import { Filters } from './filters.tsx'
import { Icon } from './icon.tsx'
import { JokeList } from './jokeList.tsx'
import { isPicking, showRandomJoke } from './listState.ts'
import { toast } from './toast.ts'
import { ViewLink } from './viewLink.tsx'

export function Page() {
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('jokes')?.focus()}>
        Skip to the jokes
      </button>
      <div class="side">
        <header class="head">
          <ViewLink id="brand" class="brand" to={{}}>
            <img src="/icon.svg" alt="" width="44" height="44" />
            <h1>Joke Service</h1>
          </ViewLink>
          <p class="motto">Read one, groan, pass it on.</p>
          <div class="actions">
            <button
              id="surprise"
              type="button"
              class="primary"
              aria-disabled={isPicking.value}
              onClick={showRandomJoke}
            >
              <Icon name="dice" /> Surprise me
            </button>
            <button id="add" type="button" onClick={openAddJoke}>
              <Icon name="plus" /> Add a joke
            </button>
          </div>
        </header>
        <Filters />
      </div>
      <JokeList />
      <footer class="foot">
        <a href="/docs">API reference</a>
        <a href="/openapi.json">openapi.json</a>
      </footer>
      <AddJoke />
      <output class="toast">{toast.value && <span>{toast}</span>}</output>
    </>
  )
}
