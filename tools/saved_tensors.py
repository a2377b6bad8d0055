#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks PyTorch what one training step of torchvision's models keeps and how much lives at most.

    saved_tensors.py [MODEL:BATCH:IMAGE ...] > data/saved_tensors.csv

Needs PyTorch 2.1 or newer and torchvision; no GPU: shapes are followed without numbers.
  saved_bytes  storages that autograd keeps from forward to backward, each once, weights and the
               batch left out. Followed on fake CUDA tensors, so that CUDA's rules hold.
  peak_bytes   the most that lives at once in forward, loss and backward, gradients of parameters
               included, weights and the batch left out. Every storage counts from the operator that
               makes it until nobody holds it. Followed on the meta device, which runs attention
               and dropout operator by operator: models that have them lack this figure.
"""
import sys
import weakref

import torch
import torchvision
from torch._subclasses import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

MODELS = '''alexnet:16:224 convnext_tiny:16:224 densenet121:16:224 efficientnet_b0:16:224
efficientnet_v2_s:16:224 inception_v3:16:299 maxvit_t:4:224 mnasnet1_0:16:224 mobilenet_v2:16:224
mobilenet_v3_large:16:224 regnet_y_1_6gf:16:224 resnet18:16:224 resnet18:64:224 resnet50:16:224
resnext50_32x4d:16:224 shufflenet_v2_x1_0:16:224 squeezenet1_1:16:224 swin_t:16:224 vgg11:16:224
vgg16_bn:16:224 wide_resnet50_2:8:224'''
WITHOUT_PEAK = ('convnext', 'efficientnet', 'maxvit', 'swin')  # Stochastic depth, attention.


def storages(value):
    """Storages of all tensors in `value`."""
    if isinstance(value, torch.Tensor):
        yield value.untyped_storage()
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from storages(one)


class Live(TorchDispatchMode):
    """Counts the bytes of storages that operators made and somebody still holds."""

    def __init__(self, known):
        super().__init__()
        self.now = 0
        self.most = 0
        self.known = weakref.WeakSet(known)

    def add(self, storage):
        if storage in self.known:
            return
        self.known.add(storage)
        size = storage.nbytes()
        self.now += size
        self.most = max(self.most, self.now)
        weakref.finalize(storage, self.free, size)

    def free(self, size):
        self.now -= size

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        result = operator(*args, **(kwargs or {}))
        for storage in storages(result):
            self.add(storage)
        return result


def network(name):
    more = {'init_weights': False} if name == 'inception_v3' else {}
    return getattr(torchvision.models, name)(**more).train()


def move(net, device):
    """Puts parameters and buffers on `device`, without their numbers."""
    for module in net.modules():
        for name, value in list(module._parameters.items()):
            if value is not None:
                empty = torch.empty(value.shape, dtype=value.dtype, device=device)
                module._parameters[name] = torch.nn.Parameter(empty)
        for name, value in list(module._buffers.items()):
            if value is not None:
                module._buffers[name] = torch.empty(value.shape, dtype=value.dtype, device=device)


def held(net, *tensors):
    return [value.untyped_storage() for value in (*net.parameters(), *net.buffers(), *tensors)]


def saved_bytes(name, batch, image):
    net = network(name)
    with FakeTensorMode(allow_non_fake_inputs=True):
        move(net, 'cuda')
        images = torch.rand(batch, 3, image, image, device='cuda')
        left_out = {storage._cdata for storage in held(net, images)}
        kept = {}

        def pack(tensor):
            storage = tensor.untyped_storage()
            if storage._cdata not in left_out:
                kept[storage._cdata] = storage  # Held, so that no other takes its place.
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            outputs = net(images)
        del outputs
        return sum(storage.nbytes() for storage in kept.values())


def peak_bytes(name, batch, image):
    net = network(name)
    move(net, 'meta')
    images = torch.rand(batch, 3, image, image, device='meta')
    labels = torch.zeros(batch, dtype=torch.long, device='meta')
    live = Live(held(net, images, labels))
    with live:
        outputs = net(images)
        scores = outputs if isinstance(outputs, torch.Tensor) else outputs[0]
        torch.nn.functional.cross_entropy(scores, labels).backward()
    return live.most


def main():
    print('model,batch,image,saved_bytes,peak_bytes')
    for wanted in sys.argv[1:] or MODELS.split():
        name, batch, image = wanted.split(':')
        sizes = int(batch), int(image)
        has_peak = not name.startswith(WITHOUT_PEAK)
        peak = peak_bytes(name, *sizes) if has_peak else ''
        print(f'{name},{batch},{image},{saved_bytes(name, *sizes)},{peak}', flush=True)


if __name__ == '__main__':
    main()
