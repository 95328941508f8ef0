import { ActionIcon, useMantineColorScheme } from '@mantine/core'
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { LazyPopup } from '../ui/lazy-popup.tsx'

const ICONS = { light: IconSun, dark: IconMoon, auto: IconDeviceDesktop } as const

const loadItems = async () => (await import('./color-scheme-items.tsx')).ColorSchemeItems

/** Light or dark colors, or those of the system. */
export function ColorSchemeMenu() {
  const { t } = useTranslation('app')
  const { colorScheme } = useMantineColorScheme()
  const Icon = ICONS[colorScheme]
  return (
    <LazyPopup load={loadItems} popup={{}}>
      <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('header.colors')}>
        <Icon size={18} stroke={1.6} />
      </ActionIcon>
    </LazyPopup>
  )
}
