import { Box, Paper, SimpleGrid, Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface Figure {
  readonly name: string
  readonly value: ReactNode
  /** Details below the value. */
  readonly note?: ReactNode
}

/** A row of key figures. */
export function Figures({ figures }: { readonly figures: readonly Figure[] }) {
  return (
    <SimpleGrid component="dl" m={0} cols={{ base: 2, md: figures.length }} spacing="sm">
      {figures.map(({ name, value, note }) => (
        <Paper key={name} withBorder p="md">
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <Box component="dd" m={0}>
            <Text size="xl" fw={600}>
              {value}
            </Text>
            {note && (
              <Text size="xs" c="dimmed">
                {note}
              </Text>
            )}
          </Box>
        </Paper>
      ))}
    </SimpleGrid>
  )
}
