import { Switch } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useLetterKeysOn } from './use-letter-keys.ts'

/** Turns keys without Ctrl or Alt on or off, for this browser. */
export function LetterKeysSwitch() {
  const { t } = useTranslation('ui')
  const [isOn, setOn] = useLetterKeysOn()
  return (
    <Switch
      label={t('letterKeys.label')}
      description={t('letterKeys.hint')}
      checked={isOn}
      onChange={({ currentTarget }) => setOn(currentTarget.checked)}
    />
  )
}
