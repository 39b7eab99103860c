/**
 * The picture in a console's canvas beside the picture that the hypervisor says there is.
 */
import { expect, type Page } from "@playwright/test";

import { raw, type VmName } from "./kubectl";

/** Of the screen's height, what the guests of the simulator keep still above their moving stripes. */
const STILL = 0.75;

/** How many pixels of the still part differ between the canvas and the screenshot that the cluster takes. */
async function difference(page: Page, kubeconfig: string, vm: VmName): Promise<number> {
  const path = `/apis/subresources.kubevirt.io/v1/namespaces/${vm.namespace}/virtualmachineinstances/${vm.name}/vnc/screenshot`;
  const png = (await raw(kubeconfig, path)).toString("base64");
  return page.evaluate(
    async ({ png, still }) => {
      const bytes = Uint8Array.from(atob(png), (char) => char.charCodeAt(0));
      const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const canvas = document.querySelector<HTMLCanvasElement>("canvas[data-testid=screen]")!;
      if (canvas.width !== picture.width || canvas.height !== picture.height) return Number.POSITIVE_INFINITY;
      const pixels = (image: CanvasImageSource) => {
        const copy = new OffscreenCanvas(picture.width, Math.floor(picture.height * still)).getContext("2d")!;
        copy.drawImage(image, 0, 0);
        return new Uint32Array(copy.getImageData(0, 0, copy.canvas.width, copy.canvas.height).data.buffer);
      };
      const [ours, theirs] = [pixels(canvas), pixels(picture)];
      // A picture of one colour is no picture: two black screens prove nothing.
      if (theirs.every((pixel) => pixel === theirs[0])) return Number.POSITIVE_INFINITY;
      return ours.reduce((sum, pixel, at) => sum + (pixel === theirs[at] ? 0 : 1), 0);
    },
    { png, still: STILL },
  );
}

/** Fails unless the canvas comes to show, pixel by pixel, what the cluster's screenshot does. */
export async function expectScreenIsTheGuests(page: Page, kubeconfig: string, vm: VmName): Promise<void> {
  const differing = () => difference(page, kubeconfig, vm);
  await expect.poll(differing, { message: "pixels that differ from the screenshot", timeout: 30_000 }).toBe(0);
}

/** A number that stands for the still part of the canvas. */
export function fingerprint(page: Page): Promise<number> {
  return page.evaluate((still) => {
    const canvas = document.querySelector<HTMLCanvasElement>("canvas[data-testid=screen]")!;
    const copy = new OffscreenCanvas(canvas.width, Math.floor(canvas.height * still)).getContext("2d")!;
    copy.drawImage(canvas, 0, 0);
    const data = new Uint32Array(copy.getImageData(0, 0, copy.canvas.width, copy.canvas.height).data.buffer);
    return data.reduce((hash, pixel) => Math.imul(hash ^ pixel, 16_777_619) >>> 0, 2_166_136_261);
  }, STILL);
}
