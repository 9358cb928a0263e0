/** Light or dark: as the system has it, until somebody says otherwise. */
import { signal } from '@preact/signals'

export type Theme = 'light' | 'dark'

const STORED = 'toolglot-theme'
const isDarkSystem = matchMedia('(prefers-color-scheme: dark)')

export const theme = signal<Theme>(chosenTheme() ?? systemTheme())

export function applyTheme(): void {
  show(chosenTheme())
  isDarkSystem.addEventListener('change', () => {
    if (chosenTheme() === undefined) theme.value = systemTheme()
  })
}

export function toggleTheme(): void {
  const next = theme.value === 'dark' ? 'light' : 'dark'
  localStorage.setItem(STORED, next)
  show(next)
}

/** Without a theme the style sheet follows the system. */
function show(chosen: Theme | undefined): void {
  theme.value = chosen ?? systemTheme()
  if (chosen === undefined) delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = chosen
}

function chosenTheme(): Theme | undefined {
  const stored = localStorage.getItem(STORED)
  return stored === 'light' || stored === 'dark' ? stored : undefined
}

function systemTheme(): Theme {
  return isDarkSystem.matches ? 'dark' : 'light'
}
