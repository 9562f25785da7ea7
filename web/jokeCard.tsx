/** A joke, told in two speech bubbles. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Joke } from '../shared/joke.ts'
import { Bubble } from './bubble.tsx'
import { opened, showJoke, toggle } from './collection.ts'
import { FoundWords } from './foundWords.tsx'
import { Icon } from './icon.tsx'
import { share } from './share.ts'
import { countOf, isUpvoted, upvote } from './upvotes.ts'
import { JOKE_LABELS, type View } from './view.ts'
import { ViewLink } from './viewLink.tsx'

const THIS_YEAR = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const OTHER_YEAR = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric' })

/** A joke as part of a view. */
export function JokeCard({ joke, view }: { joke: Joke; view: View }) {
  const { id, joke: leadIn, punchline, category, dateAdded } = joke
  const count = countOf(joke)
  const bubble = { lang: category === 'French humour' ? 'fr' : undefined, isWhole: view.id !== undefined }
  return (
    <article class="joke" tabIndex={-1} aria-labelledby={`lead-${id}`}>
      <Bubble id={`lead-${id}`} class="lead" {...bubble}>
        <FoundWords text={leadIn} search={view.search} />
      </Bubble>
      {punchline && (
        <Punchline id={id}>
          <Bubble id={`punch-${id}`} class="punch" {...bubble}>
            <FoundWords text={punchline} search={view.search} />
          </Bubble>
        </Punchline>
      )}
      <div class="facts">
        <div>
          <span class="category" data-category={category}>
            {JOKE_LABELS[category]}
          </span>
          <ViewLink id={`link-${id}`} to={{ ...view, id }} onFollow={() => showJoke(joke)}>
            <time dateTime={dateAdded}>{shortDate(new Date(dateAdded))}</time>
          </ViewLink>
        </div>
        <button id={`share-${id}`} type="button" class="share" aria-label="Share" onClick={() => share(joke)}>
          <Icon name="share" />
        </button>
        <button
          id={`upvote-${id}`}
          type="button"
          class="upvote"
          aria-label={`Upvote, ${count} so far`}
          aria-pressed={isUpvoted(joke)}
          onClick={() => upvote(joke)}
        >
          <Icon name="thumb" />
          <span key={count} class="count">
            {count}
          </span>
        </button>
      </div>
    </article>
  )
}

/** Takes its place from the start, so that nothing moves when it is told. */
function Punchline({ id, children }: { id: string; children: ComponentChildren }) {
  const name = `tell-${id}`
  const isTold = opened.value.includes(name)
  const wasTold = useRef(isTold)
  useLayoutEffect(() => {
    if (isTold && !wasTold.current) document.getElementById(`punch-${id}`)?.focus({ preventScroll: true })
    wasTold.current = isTold
  }, [isTold, id])
  return (
    <div class="punchline" data-told={isTold}>
      {children}
      {!isTold && (
        <button id={name} type="button" class="tell" aria-label="Tell the punchline" onClick={() => toggle(name)}>
          <i />
          <i />
          <i />
        </button>
      )}
    </div>
  )
}

function shortDate(date: Date): string {
  return (date.getFullYear() === new Date().getFullYear() ? THIS_YEAR : OTHER_YEAR).format(date)
}
