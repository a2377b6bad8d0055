// SPDX-License-Identifier: Apache-2.0
// The default mix. Its true_* columns are assumptions about the world, stated for one V100-16GB,
// made independently of the predictor; none is a measurement. How they were chosen:
//   memory       1 GiB of CUDA context and library workspaces, plus 12 (momentum) or 16 (Adam)
//   bytes
//                per parameter, plus batch x (2 to 3 times the activations that timm lists), halved
//                under AMP.
//   utilization  0.9 and more where convolutions or attention fill the GPU, less where the loader
//                (samples_per_second; for ImageNet 8 CPU cores at 50 to 120 images/s each) or the
//                host that launches kernels sets the pace.
//   compute share  high for dense convolutions and matrix products, low for depthwise convolutions,
//                recurrence and embeddings.
//   weights      small jobs are more frequent; the weighted mean utilization is 0.52, what Jeon et
//                al. (ATC'19, section 3.3) report for the GPUs in use in Philly.

#include "horus/sim/mix.hpp"

namespace horus::sim {
namespace {

constexpr std::string_view kDefaultMix =
    "name,model,batch,sequence,precision,optimizer,attention,samples_per_second,weight,"
    "true_utilization,true_memory_mib,true_compute_share"
    R"(
resnet18:b32:fp32,resnet18,32,,fp32,momentum,,600,6,0.55,2000,0.60
resnet18:b128:fp32,resnet18,128,,fp32,momentum,,,2,0.93,4300,0.65
resnet50:b32:fp32,resnet50,32,,fp32,momentum,,,3,0.95,4500,0.65
resnet50:b64:amp,resnet50,64,,amp,momentum,,500,3,0.70,4700,0.45
resnet18-cifar:b64:fp32,resnet18-cifar,64,,fp32,momentum,,,3,0.80,1600,0.60
resnet18-cifar:b128:amp,resnet18-cifar,128,,amp,momentum,,4000,6,0.50,1600,0.40
vgg16:b32:fp32,vgg16,32,,fp32,momentum,,,2,0.98,6200,0.80
densenet121:b32:fp32,densenet121,32,,fp32,momentum,,,2,0.90,5400,0.40
mobilenet-v2:b64:fp32,mobilenet-v2,64,,fp32,momentum,,700,2,0.75,5400,0.20
mobilenet-v2:b32:amp,mobilenet-v2,32,,amp,momentum,,400,4,0.42,2400,0.20
efficientnet-b0:b64:fp32,efficientnet-b0,64,,fp32,momentum,,,1,0.85,6400,0.20
inception-v3:b32:fp32,inception-v3,32,,fp32,momentum,,,2,0.93,3900,0.65
alexnet:b128:fp32,alexnet,128,,fp32,momentum,,900,10,0.25,2300,0.60
vit-b-16:b32:amp,vit-b-16,32,,amp,adamw,fused,,2,0.92,5000,0.70
bert-base:b16:s128:amp,bert-base,16,128,amp,adamw,fused,,3,0.80,4300,0.65
bert-base:b32:s128:fp32,bert-base,32,128,fp32,adamw,eager,,1,0.97,6400,0.85
gpt2:b4:s512:amp,gpt2,4,512,amp,adamw,fused,,2,0.88,5200,0.65
gpt2:b2:s1024:fp32,gpt2,2,1024,fp32,adamw,eager,,1,0.96,8100,0.75
transformer:b64:s64:fp32,transformer,64,64,fp32,adam,eager,,2,0.78,3600,0.75
lstm-lm:b20:fp32,lstm-lm,20,,fp32,sgd,,,5,0.45,1600,0.30
lstm-lm:b80:fp32,lstm-lm,80,,fp32,sgd,,,3,0.60,2100,0.40
dcgan:b128:fp32,dcgan,128,,fp32,adam,,3000,5,0.38,1900,0.60
neumf:b1024:fp32,neumf,1024,,fp32,adam,,40000,12,0.12,1300,0.15
pointnet:b32:fp32,pointnet,32,,fp32,adam,,400,8,0.28,2000,0.50
)";

}  // namespace

std::string_view default_mix_text() { return kDefaultMix; }

}  // namespace horus::sim
