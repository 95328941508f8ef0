import { Group, Kbd, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'

const SHORTCUTS = [
  ['J', 'next'],
  ['K', 'previous'],
  ['A', 'approve'],
  ['D', 'deny'],
  ['E', 'acknowledge'],
] as const

/** Keyboard shortcuts of the page. */
export function Shortcuts() {
  const { t } = useTranslation('reviews')
  return (
    <Group gap="md" visibleFrom="md">
      {SHORTCUTS.map(([key, name]) => (
        <Text key={key} size="xs" c="dimmed">
          <Kbd size="xs">{key}</Kbd> {t(`shortcuts.${name}`)}
        </Text>
      ))}
    </Group>
  )
}
