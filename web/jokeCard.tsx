/** A joke in two speech bubbles, with its category and buttons. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Category } from '../shared/joke.ts'
import { Bubble } from './bubble.tsx'
import { Face } from './face.tsx'
import { isFound } from './found.ts'
import { Icon } from './icon.tsx'
import { opened, showJoke, toggle } from './listState.ts'
import type { Joke } from './serviceClient.ts'
import { share } from './share.ts'
import { Text } from './text.tsx'
import { countAtUpvote, upvote } from './upvotes.ts'
import { nameCategory, type View } from './urlState.ts'
import { ViewLink } from './viewLink.tsx'

const FRENCH: Category = 'French humour'

export function JokeCard({ joke, view }: { joke: Joke; view: View }) {
  const { id, joke: setup, punchline, category } = joke
  const ownCount = countAtUpvote(id)
  // A cached listing may be older than this browser's upvote.
  const count = Math.max(joke.thumbsUp, ownCount)
  const lang = category === FRENCH ? 'fr' : undefined
  // If the search matches only with the punchline, it is told at once.
  const isTold = !punchline || opened.value.includes(`tell-${id}`) || !isFound(view.search, setup)
  const bubbleProps = { lang, isWhole: view.id !== undefined, search: view.search }
  return (
    <article class="joke" data-category={category} tabIndex={-1} aria-labelledby={`lead-${id}`}>
      {view.id && <Face mood={isTold ? 'laughing' : 'waiting'} />}
      <Bubble id={`lead-${id}`} class="lead" text={setup} {...bubbleProps} />
      {punchline && (
        <Punchline id={id} isTold={isTold}>
          <Bubble id={`punch-${id}`} class="punch" text={punchline} {...bubbleProps} />
        </Punchline>
      )}
      <div class="facts">
        <span class="category" data-category={category}>
          {nameCategory(joke)}
        </span>
        {!view.id && (
          <ViewLink id={`link-${id}`} aria-label={`Open ${setup}`} to={{ ...view, id }} onFollow={() => showJoke(joke)}>
            Open
          </ViewLink>
        )}
        <button type="button" class="share" aria-label="Share" onClick={() => share(joke)}>
          <Icon name="share" />
        </button>
        <button
          type="button"
          class="upvote"
          aria-label={`Upvote, ${count} so far`}
          aria-pressed={ownCount > 0}
          onClick={() => upvote(joke)}
        >
          <Icon name="thumb" />
          <Text>{`${count}`}</Text>
        </button>
      </div>
    </article>
  )
}

/** A punchline, hidden until it is told. A hidden punchline takes no space, which would reveal its length. */
function Punchline({ id, isTold, children }: { id: string; isTold: boolean; children: ComponentChildren }) {
  const name = `tell-${id}`
  const wasTold = useRef(isTold).current
  useLayoutEffect(() => {
    if (isTold && !wasTold) document.getElementById(`punch-${id}`)?.focus({ preventScroll: true })
  }, [isTold, wasTold, id])
  return (
    <div class="punchline" data-told={isTold && !wasTold ? 'now' : isTold}>
      {children}
      {!isTold && (
        <button id={name} type="button" class="tell" onClick={() => toggle(name)}>
          Punchline
        </button>
      )}
    </div>
  )
}
