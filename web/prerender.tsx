/** The HTML of the page before any joke is loaded. */
import { renderToString } from 'preact-render-to-string'
import { App } from './page.tsx'

export const html = renderToString(<App />)
