import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { IconMoon, IconSun } from '@tabler/icons-react'

/** Follows the system's color scheme until the operator switches it. */
export function ColorSchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme()
  const dark = useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark'
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={dark ? 'Use light colors' : 'Use dark colors'}
      onClick={() => setColorScheme(dark ? 'light' : 'dark')}
    >
      {dark ? <IconSun size={18} /> : <IconMoon size={18} />}
    </ActionIcon>
  )
}
