/** A joke in two speech bubbles, with its category and buttons. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { isFoundIn, needlesOf, searchTextOf } from '../shared/words.ts'
import { Highlight } from './highlight.tsx'
import { Face, Icon } from './icon.tsx'
import { tell, told } from './listState.ts'
import type { Joke } from './serviceClient.ts'
import { Text } from './text.tsx'
import { showToast } from './toast.ts'
import { countAtUpvote, upvote } from './upvotes.ts'
import { CATEGORY_LOOKS, isKey, keysOf, urlOf, type View } from './urlState.ts'

/** A longer joke has the size of the list even by itself, so that it fits into a window. */
const MAX_LARGE_LENGTH = 200

/** Scripts of one language each. Screen readers pronounce a joke by its language, and fonts fit it. */
const SCRIPTS = {
  el: /\p{sc=Greek}/u,
  ja: /[\p{sc=Hiragana}\p{sc=Katakana}]/u,
  ko: /\p{sc=Hangul}/u,
  th: /\p{sc=Thai}/u,
}

/** @param props.isOfDay whether the joke stands above the list, which may hold it too */
export function JokeCard({ joke, view, isOfDay = false }: { joke: Joke; view: View; isOfDay?: boolean }) {
  const { id, joke: setup, punchline, category } = joke
  const name = isOfDay ? `day-${id}` : id
  const ownCount = countAtUpvote(id)
  // A cached listing may be older than this browser's upvote.
  const count = Math.max(joke.thumbsUp, ownCount)
  // If the search matches only with the punchline, it is told at once.
  const isFound = view.search === '' || isFoundIn(searchTextOf({ joke: setup }), needlesOf(view.search))
  const isTold = !punchline || told.value.includes(name) || !isFound
  const isAlone = isOfDay || view.id !== undefined
  const size = setup.length + punchline.length <= MAX_LARGE_LENGTH ? 'large' : ''
  const [wasTold] = useState(isTold)
  const isPopping = isTold && !wasTold
  const card = useRef<HTMLElement>(null)
  const [isCut, setCut] = useState(false)
  useLayoutEffect(() => {
    const texts = Array.from(card.current?.querySelectorAll('.bubble p') ?? [])
    setCut(texts.some(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight))
  }, [isTold])
  const opening = isCut ? 'Read on' : 'Open'
  const text = (part: string) => (
    <p dir="auto" lang={languageOf(part, category)}>
      <Highlight text={part} search={view.search} />
    </p>
  )
  return (
    <article
      ref={card}
      class={`joke ${isAlone ? size : 'card'} ${isCut ? 'cut' : ''}`}
      data-category={category}
      tabIndex={-1}
      aria-labelledby={`lead-${name}`}
    >
      {isAlone && <Face mood={isTold ? 'laughing' : 'waiting'} />}
      <div id={`lead-${name}`} class="bubble lead">
        {text(setup)}
      </div>
      {punchline && (
        <div class={isPopping ? 'punchline popping' : 'punchline'}>
          {/* A hidden punchline takes no space, which would reveal its length. */}
          <div class="bubble punch" tabIndex={-1} hidden={!isTold} ref={isPopping ? focus : null}>
            {text(punchline)}
          </div>
          {!isTold && (
            <button id={`tell-${name}`} type="button" class="tell" onClick={() => tell(name)}>
              Punchline
            </button>
          )}
        </div>
      )}
      <div class="facts">
        <span class="category" data-category={category}>
          {isKey(CATEGORY_LOOKS, category) ? CATEGORY_LOOKS[category].label : category}
        </span>
        {!view.id && (
          <a id={`link-${name}`} aria-label={`${opening}: ${setup}`} href={urlOf({ ...view, id })}>
            {opening}
          </a>
        )}
        <button type="button" aria-label="Share" aria-describedby={`lead-${name}`} onClick={() => share(joke)}>
          <Icon name="share" />
        </button>
        <button
          type="button"
          class="upvote"
          aria-label={`Upvote, ${count} so far`}
          aria-describedby={`lead-${name}`}
          aria-pressed={ownCount > 0}
          onClick={() => upvote(joke)}
        >
          <Icon name="thumb" />
          {count > 0 && <Text>{`${count}`}</Text>}
        </button>
      </div>
    </article>
  )
}

/** Returns the language that a joke's category or script tells, or an empty text if it is unknown. */
function languageOf(text: string, category: string): string {
  if (/\p{sc=Latin}/u.test(text)) return category === 'French humour' ? 'fr' : ''
  return keysOf(SCRIPTS).find((language) => SCRIPTS[language].test(text)) ?? ''
}

function focus(element: HTMLElement | null): void {
  element?.focus({ preventScroll: true })
}

/** Opens the browser's dialog to share. Without one, copies the link to the joke, or lets the user copy it. */
async function share(joke: Joke): Promise<void> {
  const url = location.origin + urlOf({ id: joke.id })
  try {
    if (typeof navigator.share === 'function') return await navigator.share({ text: joke.joke, url })
    await navigator.clipboard.writeText(url)
    showToast('Link copied.')
  } catch (error) {
    // The browser reports these when the user closes its dialog, or shares again while it is open.
    if (error instanceof DOMException && /AbortError|InvalidStateError/.test(error.name)) return
    prompt('Link to this joke:', url)
  }
}
