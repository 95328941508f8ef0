import { createTheme, type MantineColorsTuple } from '@mantine/core'

/** A blue that is readable on white and, lighter, on black (WCAG AA). */
const gate: MantineColorsTuple = [
  '#edf4ff',
  '#d9e6fb',
  '#b0cbf5',
  '#84aeef',
  '#6096ea',
  '#4a87e7',
  '#2f6fd6',
  '#2460c0',
  '#1b55ac',
  '#0a4997',
]

export const theme = createTheme({
  colors: { gate },
  primaryColor: 'gate',
  primaryShade: { light: 7, dark: 7 },
  defaultRadius: 'md',
  autoContrast: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Noto Sans Mono", monospace',
  headings: { fontWeight: '600' },
})
