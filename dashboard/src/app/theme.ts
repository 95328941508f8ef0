import { Badge, type CSSVariablesResolver, createTheme, type MantineColorsTuple, Modal, Notification } from '@mantine/core'

/** Blue with enough contrast on white and, in its lighter shades, on black (WCAG AA). */
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
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 'md',
  // Above this luminance, black text has more contrast than white text.
  autoContrast: true,
  luminanceThreshold: 0.183,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Noto Sans Mono", monospace',
  headings: { fontWeight: '600' },
  components: {
    // Badge labels are never truncated.
    Badge: Badge.extend({
      defaultProps: { variant: 'light', tt: 'none' },
      styles: {
        root: { minWidth: 'max-content', overflow: 'visible', flexShrink: 0 },
        label: { overflow: 'visible', textOverflow: 'clip' },
      },
    }),
    Modal: Modal.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } }),
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } }),
  },
})

/** Share of black in colored text on a light background of the same color. */
const BLACK_SHARE = '35%'

/** Replaces text colors of Mantine that have too little contrast (WCAG AA). */
export const accessibleColors: CSSVariablesResolver = ({ colors }) => {
  const darker = (color: string) => `color-mix(in srgb, var(--mantine-color-${color}-9), black ${BLACK_SHARE})`
  const tinted = Object.keys(colors).flatMap((color) => [
    [`--mantine-color-${color}-light-color`, darker(color)],
    [`--mantine-color-${color}-text`, darker(color)],
  ])
  return {
    variables: {},
    light: {
      '--mantine-color-dimmed': '#5c636a',
      '--mantine-color-placeholder': '#6b7278',
      '--mantine-color-error': '#b02525',
      ...Object.fromEntries(tinted),
    },
    dark: {
      // Readable in hovered table rows too.
      '--mantine-color-anchor': 'var(--mantine-color-gate-3)',
      '--mantine-color-dimmed': '#b0b0b0',
      '--mantine-color-placeholder': '#9a9a9a',
      '--mantine-color-error': '#ff9c9c',
    },
  }
}
