import type { CSSVariablesResolver, MantineColorsTuple } from '@mantine/core'

/** The accent: enough contrast on white and, in its lighter shades, on black (WCAG AA). */
const gate: MantineColorsTuple = [
  '#eff1ff',
  '#e0e4ff',
  '#bfc7ff',
  '#9ca8ff',
  '#7d8cfb',
  '#6474f3',
  '#4f5de6',
  '#3f4bd0',
  '#363fb1',
  '#2c348f',
]

const gray: MantineColorsTuple = [
  '#fafafb',
  '#f4f4f6',
  '#e9e9ec',
  '#dddde1',
  '#c9c9cf',
  '#a2a2ab',
  '#7f7f89',
  '#62626c',
  '#3d3d45',
  '#1b1b1f',
]

/** Texts, borders and surfaces of the dark color scheme, lightest first. */
const dark: MantineColorsTuple = [
  '#ebebee',
  '#cdcdd3',
  '#a9a9b2',
  '#85858f',
  '#3a3a41',
  '#2d2d33',
  '#232328',
  '#18181b',
  '#111113',
  '#0b0b0d',
]

export const colors = { gate, gray, dark }

/** Share of black in colored text on a light background of the same color. */
const BLACK_SHARE = '35%'

/** Replaces text colors of Mantine that have too little contrast (WCAG AA). */
export const accessibleColors: CSSVariablesResolver = (theme) => {
  const darker = (color: string) => `color-mix(in srgb, var(--mantine-color-${color}-9), black ${BLACK_SHARE})`
  const tinted = Object.keys(theme.colors).flatMap((color) => [
    [`--mantine-color-${color}-light-color`, darker(color)],
    [`--mantine-color-${color}-text`, darker(color)],
  ])
  return {
    variables: {},
    light: {
      '--mantine-color-text': '#1b1b1f',
      '--mantine-color-dimmed': '#5f5f69',
      '--mantine-color-placeholder': '#6d6d77',
      '--mantine-color-error': '#b02525',
      '--mantine-color-default-border': 'var(--mantine-color-gray-3)',
      ...Object.fromEntries(tinted),
      // Nearly that of links, and readable on tinted surfaces too.
      '--mantine-color-gate-light-color': 'var(--mantine-color-gate-8)',
    },
    dark: {
      '--mantine-color-text': 'var(--mantine-color-dark-0)',
      // Readable in hovered table rows too.
      '--mantine-color-anchor': 'var(--mantine-color-gate-3)',
      '--mantine-color-gate-light-color': 'var(--mantine-color-gate-3)',
      '--mantine-color-dimmed': '#b0b0b8',
      '--mantine-color-placeholder': '#9a9aa3',
      '--mantine-color-error': '#ff9c9c',
    },
  }
}
