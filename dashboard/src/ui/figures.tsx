import { Box, Paper, SimpleGrid, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './figures.module.css'

export interface Figure {
  readonly name: string
  readonly value: ReactNode
  /** Details below the value. */
  readonly note?: ReactNode
}

/** A row of key figures, of several lines in a narrow container. */
export function Figures({ figures }: { readonly figures: readonly Figure[] }) {
  const cols = { base: 2, '480px': 3, '700px': Math.min(figures.length, 4), '980px': figures.length }
  return (
    <SimpleGrid className={classes.figures ?? ''} component="dl" m={0} type="container" cols={cols} spacing="sm">
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
