import { type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { PopupProps } from '../ui/lazy-popup.tsx'

/** Menu of light and dark colors, or those of the system. */
export function ColorSchemeItems({ target }: PopupProps) {
  const { t } = useTranslation('app')
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Menu position="bottom-end" width={160} defaultOpened>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup value={colorScheme} onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}>
          <Menu.RadioItem value="light">{t('header.light')}</Menu.RadioItem>
          <Menu.RadioItem value="dark">{t('header.dark')}</Menu.RadioItem>
          <Menu.RadioItem value="auto">{t('header.system')}</Menu.RadioItem>
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  )
}
