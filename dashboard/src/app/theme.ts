import {
  type AlertProps,
  type BadgeProps,
  type ButtonProps,
  createTheme,
  type DrawerProps,
  type InputWrapperProps,
  type MantineThemeOverride,
  type MenuProps,
  type ModalProps,
  mergeThemeOverrides,
  type NotificationProps,
  rem,
  type TooltipProps,
} from '@mantine/core'
import { colors } from './colors.ts'
import type { Density } from './density.ts'

/** The header of a dialog is not the page's banner. */
const NO_BANNER = { header: { role: 'none' } } as const

const base = createTheme({
  colors,
  primaryColor: 'gate',
  primaryShade: { light: 7, dark: 6 },
  defaultRadius: 'md',
  radius: { xs: rem(3), sm: rem(5), md: rem(7), lg: rem(10), xl: rem(16) },
  // Above this luminance, black text has more contrast than white text.
  autoContrast: true,
  luminanceThreshold: 0.183,
  fontFamily: '"Geist Variable", system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Noto Sans Mono", monospace',
  fontSizes: { xs: rem(12), sm: rem(13), md: rem(14), lg: rem(16), xl: rem(20) },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: rem(24), lineHeight: '1.25' },
      h2: { fontSize: rem(20), lineHeight: '1.3' },
      h3: { fontSize: rem(17), lineHeight: '1.35' },
      h4: { fontSize: rem(14), lineHeight: '1.4' },
    },
  },
  // Without `extend` of the components, which would load them with the first page.
  components: {
    // A neutral surface with an edge in the color, because a tinted one is brown on a dark page.
    // Most alerts are hints of the page, which screen readers do not interrupt for. Errors have the role alert, results the role status.
    Alert: {
      defaultProps: { role: 'note' },
      vars: (_theme: unknown, { color = 'gate' }: AlertProps) => ({ root: alertSurface(color) }),
    },
    // A target of 24 pixels, as in base.css.
    Button: {
      vars: (_theme: unknown, { size }: ButtonProps) => ({ root: size === 'compact-xs' ? { '--button-height': rem(24) } : {} }),
    },
    // Badge labels are never truncated.
    Badge: {
      defaultProps: { variant: 'light', tt: 'none', radius: 'sm', fw: 500 } satisfies BadgeProps,
      styles: {
        root: { minWidth: 'max-content', overflow: 'visible', flexShrink: 0 },
        label: { overflow: 'visible', textOverflow: 'clip' },
      },
    },
    Drawer: { defaultProps: { attributes: NO_BANNER } satisfies Partial<DrawerProps> },
    // Hints are below the inputs, so that inputs next to each other are aligned.
    InputWrapper: { defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] } satisfies InputWrapperProps },
    // Opens with its first item selected, as ARIA describes it. The placeholder would be a focusable child without a role of a menu.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } satisfies Partial<MenuProps> },
    Modal: {
      defaultProps: {
        closeButtonProps: { 'aria-label': 'Close' },
        overlayProps: { backgroundOpacity: 0.45 },
        attributes: NO_BANNER,
      } satisfies Partial<ModalProps>,
      styles: { title: { fontWeight: 600, fontSize: 'var(--mantine-font-size-lg)' } },
    },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } satisfies Partial<NotificationProps> },
    Table: { styles: { th: { fontWeight: 500, color: 'var(--mantine-color-dimmed)' } } },
    Tooltip: { defaultProps: { openDelay: 300 } satisfies Partial<TooltipProps> },
  },
})

function alertSurface(color: string) {
  const shade = `var(--mantine-color-${color}-6)`
  const mix = (share: number, surface: string) => `color-mix(in srgb, ${shade} ${share}%, ${surface})`
  return {
    '--alert-bg': `light-dark(${mix(6, 'white')}, ${mix(4, 'var(--mantine-color-dark-6)')})`,
    '--alert-bd': `1px solid light-dark(${mix(28, 'white')}, ${mix(24, 'var(--mantine-color-dark-4)')})`,
  }
}

/** Controls whose `size` depends on the density. */
const CONTROLS = [
  'Autocomplete',
  'Button',
  'DateTimePicker',
  'FileInput',
  'MultiSelect',
  'NumberInput',
  'PasswordInput',
  'SegmentedControl',
  'Select',
  'TagsInput',
  'Textarea',
  'TextInput',
] as const

const compact: MantineThemeOverride = {
  spacing: { xs: rem(6), sm: rem(8), md: rem(12), lg: rem(14), xl: rem(22) },
  components: Object.fromEntries(CONTROLS.map((name) => [name, { defaultProps: { size: 'xs' } }])),
}

const THEMES: Readonly<Record<Density, MantineThemeOverride>> = {
  comfortable: base,
  compact: mergeThemeOverrides(base, compact),
}

export const themeOf = (density: Density): MantineThemeOverride => THEMES[density]
