/** The page before any joke is loaded, as HTML. */
import { renderToString } from 'preact-render-to-string'
import { Page } from './page.tsx'

export const html = renderToString(<Page />)
