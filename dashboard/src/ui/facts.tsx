import { Box, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './facts.module.css'

interface FactsProps {
  /** Name and value; a null value leaves the line out. */
  readonly facts: readonly (readonly [name: string, value: ReactNode])[]
}

/** What is known of one thing, as a list of names and values. */
export function Facts({ facts }: FactsProps) {
  return (
    <dl className={classes.facts}>
      {facts
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => (
          <Box key={name}>
            <Text component="dt" size="sm" c="dimmed">
              {name}
            </Text>
            <Text component="dd" m={0} size="sm" className={classes.value ?? ''}>
              {value}
            </Text>
          </Box>
        ))}
    </dl>
  )
}
