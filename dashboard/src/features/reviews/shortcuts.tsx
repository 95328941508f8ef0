import { Group, Kbd, Text } from '@mantine/core'

const SHORTCUTS = [
  ['J', 'next'],
  ['K', 'previous'],
  ['A', 'approve'],
  ['D', 'deny'],
  ['E', 'acknowledge'],
] as const

/** What the keys do here. */
export function Shortcuts() {
  return (
    <Group gap="md" visibleFrom="md">
      {SHORTCUTS.map(([key, meaning]) => (
        <Text key={key} size="xs" c="dimmed">
          <Kbd size="xs">{key}</Kbd> {meaning}
        </Text>
      ))}
    </Group>
  )
}
