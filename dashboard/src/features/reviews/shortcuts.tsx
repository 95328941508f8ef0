import { Group, Kbd, Text } from '@mantine/core'

const SHORTCUTS = [
  ['J', 'Next'],
  ['K', 'Previous'],
  ['A', 'Approve'],
  ['D', 'Deny'],
  ['E', 'Acknowledge'],
] as const

/** Keyboard shortcuts of the page. */
export function Shortcuts() {
  return (
    <Group gap="md" visibleFrom="md">
      {SHORTCUTS.map(([key, label]) => (
        <Text key={key} size="xs" c="dimmed">
          <Kbd size="xs">{key}</Kbd> {label}
        </Text>
      ))}
    </Group>
  )
}
