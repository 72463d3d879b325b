import { z } from 'zod';
import { AddressError, parseEtcdUrl, parseZookeeperUrl } from '../locks/coordination/addresses.js';

const readBy = (parse: (text: string) => unknown) =>
  z.string().superRefine((text, context) => {
    try {
      parse(text);
    } catch (error) {
      if (!(error instanceof AddressError)) throw error;
      context.addIssue({ code: 'custom', message: error.reason });
    }
  });

/** One or more members of an etcd cluster. */
export const etcdUrl = readBy(parseEtcdUrl);

/** One or more servers of a ZooKeeper ensemble. */
export const zookeeperUrl = readBy(parseZookeeperUrl);
