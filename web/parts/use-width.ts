import { useEffect, useRef, useState } from 'preact/hooks';

export interface Measured {
  readonly ref: { current: HTMLDivElement | null };
  readonly width: number;
}

/** The width of an element in pixels, for drawings inside it. */
export function useWidth(): Measured {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const watcher = new ResizeObserver(() => {
      setWidth(element.clientWidth);
    });
    watcher.observe(element);
    setWidth(element.clientWidth);
    return () => {
      watcher.disconnect();
    };
  }, []);
  return { ref, width };
}
