/** A joke, told in two speech bubbles. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Joke } from '../shared/joke.ts'
import { upvote } from './collection.ts'
import { Icon } from './icon.tsx'
import { ViewLink } from './viewLink.tsx'

const THIS_YEAR = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const OTHER_YEAR = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric' })

export function JokeCard({ joke }: { joke: Joke }) {
  const { id, joke: leadIn, punchline, category, thumbsUp, dateAdded } = joke
  return (
    <li>
      <article class="joke" tabIndex={-1} aria-label={`Joke: ${leadIn.slice(0, 60)}`}>
        <p class="bubble lead" dir="auto">
          {leadIn}
        </p>
        {punchline && <Punchline text={punchline} />}
        <div class="facts">
          <span class="category" data-category={category}>
            {category}
          </span>
          <ViewLink to={{ id }}>
            <time dateTime={dateAdded}>{shortDate(new Date(dateAdded))}</time>
          </ViewLink>
          <button type="button" class="upvote" aria-label={`Upvote, ${thumbsUp} so far`} onClick={() => upvote(id)}>
            <Icon name="thumb" />
            <span key={thumbsUp} class="count">
              {thumbsUp}
            </span>
          </button>
        </div>
      </article>
    </li>
  )
}

/** Takes its place from the start, so that nothing moves when it is told. */
function Punchline({ text }: { text: string }) {
  const isTold = useSignal(false)
  const told = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (isTold.value) told.current?.focus({ preventScroll: true })
  }, [isTold.value])
  return (
    <div class="punchline" data-told={isTold.value}>
      <p class="bubble punch" dir="auto" tabIndex={-1} ref={told}>
        {text}
      </p>
      {!isTold.value && (
        <button
          type="button"
          class="tell"
          aria-label="Tell the punchline"
          onClick={() => {
            isTold.value = true
          }}
        >
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
