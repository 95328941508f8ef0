import { Anchor, Code, Typography } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import ReactMarkdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { CopyButton } from '../../ui/copy.tsx'
import classes from './playground.module.css'

/** Renders Markdown. HTML in it is shown as text, and images as links, so that a completion loads nothing from another server. */
export const MarkdownText = ({ text }: { readonly text: string }) => (
  <Typography className={classes.markdown ?? ''}>
    <ReactMarkdown remarkPlugins={[remarkGfm]} components={COMPONENTS}>
      {text}
    </ReactMarkdown>
  </Typography>
)

const COMPONENTS: Components = {
  a: ({ href, children }) => <ExternalLink href={href}>{children}</ExternalLink>,
  img: ({ src, alt }) => <ExternalLink href={typeof src === 'string' ? src : undefined}>{alt || src}</ExternalLink>,
  // The headings of a completion are not headings of the page.
  h1: ({ children }) => <p>{bold(children)}</p>,
  h2: ({ children }) => <p>{bold(children)}</p>,
  h3: ({ children }) => <p>{bold(children)}</p>,
  h4: ({ children }) => <p>{bold(children)}</p>,
  h5: ({ children }) => <p>{bold(children)}</p>,
  h6: ({ children }) => <p>{bold(children)}</p>,
  pre: ({ node, children }) => <CodeBlock text={textIn(node)}>{children}</CodeBlock>,
}

const bold = (children: ReactNode) => <strong>{children}</strong>

function ExternalLink({ href, children }: { readonly href: string | undefined; readonly children: ReactNode }) {
  return (
    <Anchor href={href} target="_blank" rel="noopener noreferrer nofollow" underline="always" inherit>
      {children}
    </Anchor>
  )
}

function CodeBlock({ text, children }: { readonly text: string; readonly children: ReactNode }) {
  const { t } = useTranslation('playground')
  return (
    <div className={classes.code}>
      <Code block tabIndex={0} role="region" aria-label={t('reply.code')}>
        {children}
      </Code>
      <div className={classes.copy}>
        <CopyButton value={text} label={t('reply.codeName')} />
      </div>
    </div>
  )
}

interface TextNode {
  readonly value?: string
  readonly children?: readonly object[]
}

const textIn = (node: object | undefined): string => {
  const { value = '', children = [] } = (node ?? {}) as TextNode
  return value + children.map(textIn).join('')
}
