/** A speech bubble. Of a long text it shows the beginning, with a button to open it. */
import { Highlight } from './highlight.tsx'
import { opened, toggle } from './listState.ts'
import { Text } from './text.tsx'

export function Bubble(props: {
  id: string
  class: string
  lang: string | undefined
  /** Whether the whole text is shown. */
  isWhole: boolean
  text: string
  search: string
}) {
  const { id, lang, isWhole, text, search } = props
  const beginning = beginningOf(text)
  const isLong = !isWhole && beginning !== text
  const isOpen = opened.value.includes(id)
  return (
    <div class={`bubble ${props.class}`}>
      <p key={isOpen} id={id} dir="auto" lang={lang} tabIndex={-1}>
        <Highlight text={isLong && !isOpen ? `${beginning}…` : text} search={search} />
      </p>
      {isLong && (
        <button type="button" class="read-more" aria-expanded={isOpen} onClick={() => toggle(id)}>
          <Text>{isOpen ? 'Read less' : 'Read more'}</Text>
        </button>
      )}
    </div>
  )
}

/** Returns at most eight lines and 300 characters of a text. */
function beginningOf(text: string): string {
  const lines = text.split('\n', 8).join('\n')
  return [...lines].slice(0, 300).join('')
}
