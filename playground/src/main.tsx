import { render } from 'preact'
import './styles/tokens.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/controls.css'
import './styles/editor.css'
import './styles/cards.css'
import './styles/chat.css'
import './styles/traffic.css'
import { App } from './app.tsx'
import { loadCatalogue } from './catalogue.ts'
import { followLocation } from './page-state.ts'
import { applyTheme } from './theme.ts'

applyTheme()
await followLocation()
void loadCatalogue()

const root = document.getElementById('app')
if (root) render(<App />, root)
