import { encode } from 'uqr'

interface QrCodeProps {
  readonly text: string
  readonly label: string
}

/** Rendered in the browser, because the text is a secret. */
export function QrCode({ text, label }: QrCodeProps) {
  const { data, size } = encode(text, { border: 2 })
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} width={200} height={200} shapeRendering="crispEdges">
      <title>{label}</title>
      <rect width={size} height={size} fill="#fff" />
      <path d={dark.join('')} fill="#000" />
    </svg>
  )
}
